/* proc.c: see proc.h. */
#include "base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

/* The child that proc_run waits for, 0 when there is none; the signal handler ends it. */
static volatile sig_atomic_t running_child;

static void drain(int fd, struct buf *captured)
{
	char chunk[4096];
	ssize_t got;
	while ((got = read(fd, chunk, sizeof chunk)) != 0) {
		if (got > 0)
			buf_add(captured, chunk, (size_t)got);
		else if (errno != EINTR)
			break;
	}
}

int proc_run(char *const argv[], enum proc_output mode, struct buf *captured, struct err *err)
{
	int ends[2] = { -1, -1 };
	if (mode != PROC_INHERIT && pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	if (mode != PROC_INHERIT)
		posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
	if (mode == PROC_SILENT)
		posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	pid_t pid;
	int code = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	running_child = code ? 0 : pid;
	posix_spawn_file_actions_destroy(&actions);
	if (mode != PROC_INHERIT)
		close(ends[1]);
	if (code == 0 && mode != PROC_INHERIT)
		drain(ends[0], captured);
	if (mode != PROC_INHERIT)
		close(ends[0]);
	if (code)
		return err_set(err, code, "cannot run \"%s\": %s", argv[0], strerror(code));
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(err, errno, "cannot wait for \"%s\": %s", argv[0], strerror(errno));
	running_child = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void proc_quote(struct buf *out, char *const argv[])
{
	for (size_t i = 0; argv[i]; i++) {
		const char *arg = argv[i];
		if (i)
			buf_add_string(out, " ");
		if (*arg &&
		    arg[strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+/.,:@%")] == 0) {
			buf_add_string(out, arg);
			continue;
		}
		buf_add_string(out, "'");
		for (; *arg; arg++)
			*arg == '\'' ? buf_add_string(out, "'\\''") : buf_add(out, arg, 1);
		buf_add_string(out, "'");
	}
}

bool proc_find(const char *name)
{
	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	const char *path = getenv("PATH");
	bool is_found = false;
	for (const char *at = path ? path : "/usr/bin:/bin"; at && !is_found;) {
		const char *colon = strchr(at, ':');
		int size = colon ? (int)(colon - at) : (int)strlen(at);
		char *file = mem_format("%.*s/%s", size ? size : 1, size ? at : ".", name);
		is_found = access(file, X_OK) == 0;
		free(file);
		at = colon ? colon + 1 : NULL;
	}
	return is_found;
}

/* One temporary folder a process, flat. */
static char temporary_folder[PATH_MAX];
static pid_t temporary_owner;

static void remove_temporary_folder(void)
{
	if (!temporary_folder[0] || getpid() != temporary_owner)
		return;
	DIR *dir = opendir(temporary_folder);
	struct dirent *entry;
	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(temporary_folder);
	temporary_folder[0] = '\0';
}

static volatile sig_atomic_t is_ending;

static void end_on_signal(int number)
{
	if (is_ending)
		return;
	is_ending = 1;
	/* make, for example, ends only its own child: processes which that child started must not continue to write. */
	if (running_child && getpid() == temporary_owner) {
		kill((pid_t)running_child, SIGTERM);
		while (waitpid((pid_t)running_child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	/* Reading a folder allocates, which a handler must not: another program does it. */
	if (getpid() == temporary_owner && temporary_folder[0]) {
		char *const argv[] = { (char *)"rm", (char *)"-rf", (char *)"--", temporary_folder, NULL };
		pid_t pid = vfork();
		if (pid == 0) {
			execv("/bin/rm", argv);
			_exit(127);
		}
		while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	signal(number, SIG_DFL);
	raise(number);
}

char *proc_temporary_folder(struct err *err)
{
	const char *parent = getenv("TMPDIR");
	if (!parent || !*parent)
		parent = "/tmp";
	int size = snprintf(temporary_folder, sizeof temporary_folder, "%s/heddle-XXXXXX", parent);
	if (size < 0 || (size_t)size >= sizeof temporary_folder || !mkdtemp(temporary_folder)) {
		err_set(err, errno, "cannot create a temporary directory in \"%s\": %s", parent, strerror(errno));
		err_hint(err, "set TMPDIR to a writable directory with enough space");
		temporary_folder[0] = '\0';
		return NULL;
	}
	temporary_owner = getpid();
	atexit(remove_temporary_folder);
	const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction action = { .sa_handler = end_on_signal };
		struct sigaction old;
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	return mem_copy_string(temporary_folder);
}

/* libdw alone takes hundreds of kilobytes. */
#define STACK_ENOUGH ((size_t)2 << 20)

static struct {
	ucontext_t old, own;
	int (*body)(int argc, char **argv);
	int argc, status;
	char **argv;
} on_stack;

static void run_on_stack(void)
{
	on_stack.status = on_stack.body(on_stack.argc, on_stack.argv);
}

int proc_with_stack(int (*body)(int argc, char **argv), int argc, char **argv)
{
	struct rlimit limit;
	void *stack = MAP_FAILED;
	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK_ENOUGH)
		stack = mmap(NULL, STACK_ENOUGH, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED || getcontext(&on_stack.own) < 0)
		return body(argc, argv);
	on_stack.own.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = STACK_ENOUGH };
	on_stack.own.uc_link = &on_stack.old;
	on_stack.body = body;
	on_stack.argc = argc;
	on_stack.argv = argv;
	makecontext(&on_stack.own, run_on_stack, 0);
	swapcontext(&on_stack.old, &on_stack.own);
	return on_stack.status;
}

int proc_check(struct err *err)
{
	char path[PATH_MAX];
	if (readlink("/proc/self/exe", path, sizeof path) > 0)
		return 0;
	int code = errno;
	err_hint(err, "mount -t proc proc /proc");
	return err_set(err, code, "/proc is not mounted, and Heddle needs it: cannot read \"/proc/self/exe\": %s",
		       strerror(code));
}

char *proc_own_file(const char *name)
{
	char path[PATH_MAX];
	ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
	if (size <= 0)
		BUG("cannot read /proc/self/exe");
	path[size] = '\0';
	/* bin/heddle-cc finds ../lib/heddle/NAME; lib/heddle/heddle-weave finds NAME in its own folder. */
	char *folder = dirname(path);
	const char *base = strrchr(folder, '/');
	if (base && strcmp(base, "/heddle") == 0)
		return mem_format("%s/%s", folder, name);
	return mem_format("%s/../lib/heddle/%s", folder, name);
}

int proc_read_file(const char *path, struct buf *out, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	if (fd < 0 || fstat(fd, &status) < 0) {
		int code = errno;
		if (fd >= 0)
			close(fd);
		return err_set(err, code, "cannot open \"%s\": %s", path, strerror(code));
	}
	if (S_ISDIR(status.st_mode)) {
		close(fd);
		return err_set(err, EISDIR, "cannot read \"%s\": it is a directory", path);
	}
	char chunk[8192];
	ssize_t got;
	/* A sparse file takes no room on disk, but could take all memory. */
	int code = S_ISREG(status.st_mode) && status.st_size > (off_t)MAX_PROC_FILE ? EFBIG : 0;
	while (!code && (got = read(fd, chunk, sizeof chunk)) != 0) {
		if (got > 0) {
			buf_add(out, chunk, (size_t)got);
			code = out->size > MAX_PROC_FILE ? EFBIG : 0;
		} else if (errno != EINTR) {
			code = errno;
			break;
		}
	}
	close(fd);
	return code ? err_set(err, code, "cannot read \"%s\": %s", path, strerror(code)) : 0;
}

int proc_write_all(int fd, const void *data, size_t size_bytes)
{
	const char *at = data;
	while (size_bytes) {
		ssize_t put = write(fd, at, size_bytes);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put < 0 ? -errno : -ENOSPC;
		at += put;
		size_bytes -= (size_t)put;
	}
	return 0;
}

int proc_set_size(int fd, uint64_t size_bytes)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	sigaction(SIGXFSZ, &ignore, &old);
	int code = ftruncate(fd, (off_t)size_bytes) == 0 ? 0 : -errno;
	sigaction(SIGXFSZ, &old, NULL);
	return code;
}

int proc_write_file(const char *path, const void *data, size_t size_bytes, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(err, errno, "cannot write \"%s\": %s", path, strerror(errno));
	int code = -proc_write_all(fd, data, size_bytes);
	if (close(fd) < 0 && !code)
		code = errno;
	if (!code)
		return 0;
	unlink(path);
	return err_set(err, code, "cannot write \"%s\": %s", path, strerror(code));
}
