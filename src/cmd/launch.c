/* launch.c: see launch.h. */
#include "cmd/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/elf_file.h"
#include "cmd/text.h"

extern char **environ;

static const int forwarded[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

#define FORWARDED_COUNT (sizeof forwarded / sizeof *forwarded)

/* 0 when it can be executed, else the errno that says why not. */
static int cannot_execute(const char *path)
{
	struct stat status;
	if (stat(path, &status) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	return access(path, X_OK) < 0 ? errno : 0;
}

/* As execvp looks: the first that can be executed; else the first fault that is not "no such file". */
static char *search_path(const char *name, int *code)
{
	const char *folders = getenv("PATH");
	*code = ENOENT;
	for (const char *at = folders ? folders : "/usr/local/bin:/usr/bin:/bin"; at;) {
		const char *colon = strchr(at, ':');
		int size = colon ? (int)(colon - at) : (int)strlen(at);
		char *path = mem_format("%.*s/%s", size ? size : 1, size ? at : ".", name);
		int fault = cannot_execute(path);
		if (fault == 0) {
			*code = 0;
			return path;
		}
		if (*code == ENOENT && fault != ENOTDIR && fault != EISDIR)
			*code = fault;
		free(path);
		at = colon ? colon + 1 : NULL;
	}
	return NULL;
}

static bool is_script(const char *path)
{
	char start[2];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	/* What cannot be read can still be executed, and then there is nothing to check. */
	if (fd < 0)
		return true;
	bool is = read(fd, start, sizeof start) == 2 && memcmp(start, "#!", 2) == 0;
	close(fd);
	return is;
}

/* The loader of another architecture, or no loader at all, would not load the runtime. */
static int check_program(const char *path, struct err *err)
{
	struct elf_file elf;
	if (is_script(path))
		return 0;
	int code = elf_file_read(&elf, path, err);
	if (code == 0 && elf.header.e_type != ET_EXEC && elf.header.e_type != ET_DYN)
		code = err_set(err, ENOEXEC, "\"%s\" is not a program", elf.path);
	if (code == 0 && elf_file_is_static(&elf)) {
		err_hint(err, "link it dynamically (without -static); heddle sites works on dynamic programs too");
		code = err_set(err, ENOEXEC, "\"%s\" is statically linked: the runtime cannot be loaded into it",
			       elf.path);
	}
	elf_file_release(&elf);
	return code;
}

int launch_find(const char *name, char **path, struct err *err)
{
	int code = 0;
	if (strchr(name, '/')) {
		*path = mem_copy_string(name);
		code = cannot_execute(name);
	} else {
		*path = search_path(name, &code);
	}
	if (code) {
		char *shown = text_terminal_copy(name);
		struct stat status;
		if (code == EACCES)
			err_hint(err, "make it executable: chmod +x");
		else if (code == EISDIR)
			err_hint(err, "give the program in it");
		else if (!strchr(name, '/') && stat(name, &status) == 0)
			err_hint(err, "it is not in PATH; did you mean ./%s?", shown);
		else
			err_hint(err, "check the name and PATH");
		err_set(err, code, "cannot run \"%s\": %s", shown, strerror(code));
		free(shown);
	} else {
		code = -check_program(*path, err);
	}
	if (code) {
		free(*path);
		*path = NULL;
	}
	return -code;
}

static volatile pid_t child;

/* A key of the terminal signals the whole foreground group, the child included; only what another process sent to us
 * alone is sent on. */
static void forward(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	(void)context;
	if (info->si_code <= 0 && child > 0)
		kill(child, number);
	errno = saved;
}

/* Signals that we were told to ignore stay ignored, here and in the child. */
static void catch_signals(void)
{
	for (size_t i = 0; i < FORWARDED_COUNT; i++) {
		struct sigaction action = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART };
		struct sigaction old;
		if (sigaction(forwarded[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(forwarded[i], &action, NULL);
	}
}

int launch_run(const char *path, char **arguments, int *status, struct err *err)
{
	sigset_t blocked, old;
	posix_spawnattr_t attributes;
	pid_t pid;
	sigemptyset(&blocked);
	for (size_t i = 0; i < FORWARDED_COUNT; i++)
		sigaddset(&blocked, forwarded[i]);
	/* Nothing is lost between the handlers and the knowledge of whom to send to: signals wait. */
	sigprocmask(SIG_BLOCK, &blocked, &old);
	catch_signals();
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &old);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	int code = posix_spawn(&pid, path, NULL, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	if (code == 0)
		child = pid;
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (code) {
		if (code == ENOEXEC)
			err_hint(err, "a script must begin with a line such as #!/bin/sh");
		return err_set(err, code, "cannot run \"%s\": %s", path, strerror(code));
	}
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return err_set(err, errno, "cannot wait for \"%s\": %s", path, strerror(errno));
	child = 0;
	return 0;
}

_Noreturn void launch_end(int status)
{
	if (WIFSIGNALED(status)) {
		int number = WTERMSIG(status);
		sigset_t set;
		struct rlimit none = { 0, 0 };
		setrlimit(RLIMIT_CORE, &none);
		prctl(PR_SET_DUMPABLE, 0);
		signal(number, SIG_DFL);
		sigemptyset(&set);
		sigaddset(&set, number);
		raise(number);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		_exit(128 + number);
	}
	exit(WEXITSTATUS(status));
}
