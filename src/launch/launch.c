/* launch.c: see launch.h. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/elf_file.h"
#include "base/mem.h"
#include "base/text.h"

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
	/* A file that cannot be read may still be executable; then there is nothing to check. */
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
	int code = elf_file_view(&elf, path, err);
	if (code == 0 && elf.header.e_type != ET_EXEC && elf.header.e_type != ET_DYN)
		code = err_set(err, ENOEXEC, "\"%s\" is not a program", elf.path);
	if (code == 0 && elf_file_is_static(&elf)) {
		err_hint(err, "link it dynamically, without -static");
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
			err_hint(err, "specify the program in it");
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
static struct sigaction file_limit_action;
static bool is_file_limit_ignored;

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

/* Signals that were ignored when we started stay ignored, here and in the child. */
static void catch_signals(void)
{
	for (size_t i = 0; i < FORWARDED_COUNT; i++) {
		struct sigaction action = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART };
		struct sigaction old;
		if (sigaction(forwarded[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(forwarded[i], &action, NULL);
	}
}

/* What can go wrong in the child, reported through a pipe that closes when the program begins. */
enum step { STEP_EXECUTE, STEP_RANDOMIZE, STEP_STACK, STEP_DESCRIPTORS, STEP_PLACE };

struct fault {
	enum step step;
	int code;
};

static int set_soft_limit(int resource, uint64_t value)
{
	struct rlimit limit;
	if (value == 0)
		return 0;
	if (getrlimit(resource, &limit) < 0)
		return -1;
	limit.rlim_cur = value;
	return setrlimit(resource, &limit);
}

/* Moves the descriptors to their numbers. None of ours is in the way: their numbers are small, and stay free of the
 * program's because they close when it begins. */
static int place_descriptors(const struct launch *launch)
{
	for (size_t i = 0; i < launch->descriptor_count; i++) {
		const struct launch_descriptor *one = &launch->descriptors[i];
		if (one->fd < 0)
			close(one->number);
		else if (dup2(one->fd, one->number) < 0)
			return -1;
	}
	return 0;
}

static struct fault become_repeatable(const struct launch *launch)
{
	int old = personality(0xffffffff);
	if (old < 0 || personality((unsigned long)old | ADDR_NO_RANDOMIZE) < 0)
		return (struct fault){ STEP_RANDOMIZE, errno };
	if (set_soft_limit(RLIMIT_STACK, launch->stack_limit) < 0)
		return (struct fault){ STEP_STACK, errno };
	if (set_soft_limit(RLIMIT_NOFILE, launch->descriptor_limit) < 0)
		return (struct fault){ STEP_DESCRIPTORS, errno };
	return (struct fault){ STEP_EXECUTE, 0 };
}

/* Returns only when it could not. */
static struct fault become(const struct launch *launch, const sigset_t *mask)
{
	struct fault fault = { STEP_EXECUTE, 0 };
	for (size_t i = 0; i < FORWARDED_COUNT; i++) {
		struct sigaction old;
		if (sigaction(forwarded[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			signal(forwarded[i], SIG_DFL);
	}
	if (is_file_limit_ignored)
		sigaction(SIGXFSZ, &file_limit_action, NULL);
	if (launch->has_own_session)
		setsid();
	if (launch->is_repeatable)
		fault = become_repeatable(launch);
	if (fault.code == 0 && place_descriptors(launch) < 0)
		fault = (struct fault){ STEP_PLACE, errno };
	/* A folder that is gone does not matter to a program whose files come from a log. */
	if (launch->folder && chdir(launch->folder) < 0)
		errno = 0;
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (fault.code == 0) {
		execve(launch->path, launch->arguments, launch->environment ? launch->environment : environ);
		fault.code = errno;
	}
	return fault;
}

_Noreturn static void child_main(const struct launch *launch, pid_t parent, int pipe_end, const sigset_t *mask)
{
	if (launch->is_repeatable) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_CANNOT);
	}
	struct fault fault = become(launch, mask);
	ssize_t put = write(pipe_end, &fault, sizeof fault);
	_exit(put == (ssize_t)sizeof fault ? EXIT_CANNOT : EXIT_CANNOT + 1);
}

static int cannot_start(const struct launch *launch, struct fault fault, struct err *err)
{
	char *shown = text_terminal_copy(launch->path);
	const char *reason = strerror(fault.code);
	switch (fault.step) {
	case STEP_RANDOMIZE:
		err_hint(err, "allow personality(2); in a container: --security-opt seccomp=unconfined");
		err_set(err, fault.code, "cannot disable address space randomisation: %s", reason);
		break;
	case STEP_STACK:
		err_hint(err, "raise the limit: ulimit -Hs");
		err_set(err, fault.code, "cannot set the stack limit to %" PRIu64 " KiB, as in the recorded run: %s",
			launch->stack_limit >> 10, reason);
		break;
	case STEP_DESCRIPTORS:
	case STEP_PLACE:
		err_hint(err, "raise the limit: ulimit -Hn 1024, or more");
		err_set(err, fault.code, "the program needs descriptors up to %" PRIu64 ": %s",
			launch->descriptor_limit, reason);
		break;
	case STEP_EXECUTE:
		if (fault.code == ENOEXEC)
			err_hint(err, "a script must start with a line such as #!/bin/sh");
		else if (fault.code == E2BIG)
			err_hint(err, "its arguments, its environment or --switch are too long");
		else if (fault.code == ENOENT)
			err_hint(err, "the interpreter that it names may be missing");
		err_set(err, fault.code, "cannot run \"%s\": %s", shown, reason);
		break;
	}
	free(shown);
	return -fault.code;
}

int launch_become(const struct launch *launch, struct err *err)
{
	sigset_t mask;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	return cannot_start(launch, become(launch, &mask), err);
}

struct start {
	const struct launch *launch;
	int pipe_end;
	const sigset_t *mask;
};

static void start_kept(void *data, pid_t parent)
{
	const struct start *start = data;
	child_main(start->launch, parent, start->pipe_end, start->mask);
}

static pid_t start_process(struct start *start)
{
	pid_t parent = getpid();
	if (start->launch->keeper)
		return keeper_start(start->launch->keeper, start_kept, start);
	pid_t pid = fork();
	if (pid == 0)
		child_main(start->launch, parent, start->pipe_end, start->mask);
	return pid < 0 ? -errno : pid;
}

int launch_start(const struct launch *launch, pid_t *started, struct err *err)
{
	sigset_t blocked, old;
	int ends[2];
	struct fault fault = { STEP_EXECUTE, 0 };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
	sigemptyset(&blocked);
	for (size_t i = 0; i < FORWARDED_COUNT; i++)
		sigaddset(&blocked, forwarded[i]);
	/* Signals stay blocked from before the handlers are set until the child's id is known, so none is lost. */
	sigprocmask(SIG_BLOCK, &blocked, &old);
	if (!launch->is_unattended)
		catch_signals();
	pid_t pid = start_process(&(struct start){ launch, ends[1], &old });
	if (pid < 0)
		fault.code = -pid;
	else if (!launch->is_unattended)
		child = pid;
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	ssize_t got;
	do
		got = pid > 0 ? read(ends[0], &fault, sizeof fault) : 0;
	while (got < 0 && errno == EINTR);
	close(ends[0]);
	*started = pid;
	if (fault.code == 0)
		return 0;
	child = 0;
	if (launch->keeper)
		keeper_release(launch->keeper);
	while (!launch->keeper && pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return cannot_start(launch, fault, err);
}

int launch_wait(pid_t pid, struct keeper *keeper, int *status, struct err *err)
{
	int code = 0;
	if (keeper)
		code = -keeper_wait(keeper, status);
	while (!keeper && waitpid(pid, status, 0) < 0)
		if (errno != EINTR) {
			code = errno;
			break;
		}
	if (code)
		return err_set(err, code, "cannot wait for the program: %s", strerror(code));
	child = 0;
	return 0;
}

void launch_ignore_file_limit(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	if (!is_file_limit_ignored)
		sigaction(SIGXFSZ, &ignore, &file_limit_action);
	is_file_limit_ignored = true;
}

int launch_run(const char *path, char **arguments, int *status, struct err *err)
{
	struct launch launch = { .path = path, .arguments = arguments };
	pid_t pid;
	int code = launch_start(&launch, &pid, err);
	return code == 0 ? launch_wait(pid, NULL, status, err) : code;
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
