/*
 * keeper.c: see keeper.h. We and the keeper talk by messages, each answered before the next one; the end of the socket
 * is the end of either. The keeper has no thread, no file and no signal handler that does anything; it sleeps in poll.
 */
#include "launch/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "base/time.h"

#define END_GRACE_MS 1000
#define SWEEP_GRACE_MS 100
/* A killed process is gone at once, unless it waits for a device. */
#define DEATH_MS 5000

enum kind { STARTED, ENDED, LEFT, SWEEP, FINISH };

struct message {
	enum kind kind;
	pid_t pid;  /* STARTED: the program's, or a negative errno */
	int status; /* ENDED */
	struct keeper_left left;
};

/* The keeper's side. */

static int tool = -1;     /* the socket */
static pid_t program_pid; /* 0: it was waited for */

/* Exists only to interrupt poll. */
static void on_child(int number)
{
	(void)number;
}

/* Signals sent to this process, which looks like us in a process list, are meant for us. */
static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define PASSED_ON (sizeof passed_on / sizeof *passed_on)

static volatile sig_atomic_t received; /* 0: none */

static void on_signal(int number)
{
	received = number;
}

static void pass_on(pid_t to)
{
	int number = received;
	received = 0;
	if (number && getppid() == to)
		kill(to, number);
}

static void send_message(const struct message *message)
{
	while (send(tool, message, sizeof *message, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static long now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether it is one of our processes that the program has left behind and that has not ended. */
static bool is_left(pid_t pid)
{
	siginfo_t info = { 0 };
	return pid != program_pid && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

/* Each name once: many processes may share a name. */
static void join_name(struct keeper_left *left, const char *name)
{
	size_t used = strlen(left->names), size = strlen(name), room = sizeof left->names - used;
	for (const char *at = left->names; (at = strstr(at, name)); at += size)
		if ((at == left->names || at[-1] == ' ') && (at[size] == ',' || at[size] == '\0'))
			return;
	if (size + 3 < room)
		snprintf(left->names + used, room, "%s%s", used ? ", " : "", name);
}

static void add_name(struct keeper_left *left, pid_t pid)
{
	char path[64], name[32] = "";
	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	FILE *file = fopen(path, "re");
	if (file && fgets(name, sizeof name, file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	join_name(left, name[0] ? name : "?");
}

/* Calls each for all children. The kernel may have no list of them: then all processes are asked for their parent. */
static void each_child(void (*each)(pid_t pid, void *data), void *data)
{
	char path[64];
	int pid;
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	FILE *file = fopen(path, "re");
	if (file) {
		while (fscanf(file, "%d", &pid) == 1)
			each(pid, data);
		fclose(file);
		return;
	}
	DIR *folder = opendir("/proc");
	for (const struct dirent *entry; folder && (entry = readdir(folder));) {
		int parent;
		snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
		if (sscanf(entry->d_name, "%d", &pid) != 1 || !(file = fopen(path, "re")))
			continue;
		/* The name is in parentheses, and may contain some. */
		char line[512], *end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
		fclose(file);
		if (end && sscanf(end + 1, " %*c %d", &parent) == 1 && parent == getpid())
			each(pid, data);
	}
	if (folder)
		closedir(folder);
}

/* Returns whether it is gone. */
static bool end_and_reap(pid_t pid)
{
	const struct timespec pause = { 0, 500000 };
	long until_ms = now_ms() + DEATH_MS;
	if (kill(pid, SIGKILL) < 0)
		return false;
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (now_ms() > until_ms)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static void end_one(pid_t pid, void *data)
{
	struct keeper_left *round = data;
	if (!is_left(pid))
		return;
	add_name(round, pid);
	if (end_and_reap(pid))
		round->count++;
	else
		round->refused_count++;
}

static void count_one(pid_t pid, void *data)
{
	*(unsigned *)data += is_left(pid);
}

static unsigned left_count(void)
{
	unsigned count = 0;
	each_child(count_one, &count);
	return count;
}

/* Reaps processes that have ended. The program itself stays until we have its status. */
static void reap(void)
{
	siginfo_t info = { 0 };
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
	       info.si_pid != program_pid) {
		waitpid(info.si_pid, NULL, 0);
		info.si_pid = 0;
	}
}

/* Sleeps until there is a message, a child has ended, or time is up. Returns whether there is a message or an end of the
 * socket. */
static bool sleep_until(long until_ms)
{
	struct pollfd poll = { tool, POLLIN, 0 };
	sigset_t blocked;
	sigfillset(&blocked);
	sigdelset(&blocked, SIGCHLD);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigdelset(&blocked, passed_on[i]);
	long left_ms = until_ms - now_ms();
	struct timespec time = { left_ms / 1000, left_ms % 1000 * 1000000 };
	if (until_ms && left_ms <= 0)
		return false;
	return ppoll(&poll, 1, until_ms ? &time : NULL, &blocked) > 0;
}

/* Ends what is left, and what those leave in turn. */
static void end_left(struct keeper_left *left)
{
	struct keeper_left round;
	do {
		round = (struct keeper_left){ .count = 0 };
		each_child(end_one, &round);
		left->refused_count = 0;
		keeper_add_left(left, &round);
	} while (round.count);
}

static void wait_and_end(long grace_ms)
{
	struct message message = { .kind = LEFT };
	long until_ms = now_ms() + grace_ms;
	reap();
	while (left_count() && !sleep_until(until_ms) && now_ms() < until_ms)
		reap();
	end_left(&message.left);
	send_message(&message);
}

_Noreturn static void end_all(void)
{
	if (program_pid)
		kill(program_pid, SIGKILL);
	while (program_pid && waitpid(program_pid, NULL, 0) < 0 && errno == EINTR)
		;
	program_pid = 0;
	struct keeper_left ignored = { .count = 0 };
	end_left(&ignored);
	reap();
	_exit(0);
}

/* Sends how the program ended, and does not reap it. */
static void send_end(bool *is_sent)
{
	siginfo_t info = { 0 };
	if (*is_sent || waitid(P_PID, (id_t)program_pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
		return;
	struct message message = { .kind = ENDED };
	message.status = info.si_code == CLD_EXITED ? (info.si_status & 255) << 8
						    : info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
	*is_sent = true;
	send_message(&message);
}

_Noreturn static void keep(pid_t starter)
{
	bool is_sent = false;
	struct message message;
	for (;;) {
		reap();
		send_end(&is_sent);
		bool is_message = sleep_until(0);
		pass_on(starter);
		if (!is_message)
			continue;
		ssize_t got = recv(tool, &message, sizeof message, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got != (ssize_t)sizeof message)
			end_all();
		if (message.kind == SWEEP) {
			wait_and_end(SWEEP_GRACE_MS);
		} else if (message.kind == FINISH) {
			waitpid(program_pid, NULL, 0);
			program_pid = 0;
			wait_and_end(END_GRACE_MS);
			reap();
			_exit(0);
		}
	}
}

/* No descriptor that is open here may keep another process waiting. */
static void close_all_but(int fd)
{
	if (fd > 0)
		syscall(SYS_close_range, 0, fd - 1, 0);
	syscall(SYS_close_range, fd + 1, ~0u, 0);
}

_Noreturn static void keeper_main(int fd, void (*program)(void *data, pid_t parent), void *data)
{
	sigset_t all;
	struct message message = { .kind = STARTED };
	struct sigaction action = { .sa_handler = on_child };
	pid_t own = getpid(), starter = getppid();
	tool = fd;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t pid = fork();
	if (pid == 0)
		program(data, own);
	message.pid = pid < 0 ? -errno : pid;
	program_pid = pid > 0 ? pid : 0;
	prctl(PR_SET_NAME, "heddle-keeper");
	close_all_but(fd);
	/* Keys of the terminal, and signals to the group, are for the program and for us; it stays until both are gone. */
	setpgid(0, 0);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &action, NULL);
	action.sa_handler = on_signal;
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &action, NULL);
	send_message(&message);
	if (pid < 0)
		_exit(1);
	keep(starter);
}

/* Our side. */

void keeper_init(struct keeper *self)
{
	*self = (struct keeper){ .fd = -1 };
}

static int receive_answer(struct keeper *self, enum kind kind, struct message *message)
{
	ssize_t got;
	do
		got = recv(self->fd, message, sizeof *message, 0);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof *message && message->kind == kind ? 0 : -ECHILD;
}

static int send_request(struct keeper *self, enum kind kind)
{
	struct message message = { .kind = kind };
	ssize_t put;
	do
		put = send(self->fd, &message, sizeof message, MSG_NOSIGNAL);
	while (put < 0 && errno == EINTR);
	return put == (ssize_t)sizeof message ? 0 : -ECHILD;
}

pid_t keeper_start(struct keeper *self, void (*program)(void *data, pid_t parent), void *data)
{
	int ends[2];
	struct message message;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		keeper_main(ends[1], program, data);
	}
	int code = pid < 0 ? -errno : 0;
	close(ends[1]);
	*self = (struct keeper){ .pid = pid < 0 ? 0 : pid, .fd = ends[0] };
	if (code == 0)
		code = receive_answer(self, STARTED, &message);
	return code < 0 ? code : message.pid;
}

bool keeper_poll(struct keeper *self, double deadline)
{
	struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };
	for (;;) {
		double left = deadline - time_now_seconds();
		int got = poll(&poll_fd, 1, left <= 0 ? 0 : left < 1 ? (int)(left * 1000) + 1 : 1000);
		if (got > 0)
			return true;
		if (left <= 0)
			return false;
	}
}

int keeper_wait(struct keeper *self, int *status)
{
	struct message message;
	int code = receive_answer(self, ENDED, &message);
	if (code == 0)
		*status = message.status;
	return code;
}

/* Asks for something that is answered by what was left. */
static int ask_left(struct keeper *self, enum kind kind, struct keeper_left *left)
{
	struct message message;
	int code = send_request(self, kind);
	if (code == 0)
		code = receive_answer(self, LEFT, &message);
	if (code == 0)
		*left = message.left;
	return code;
}

int keeper_sweep(struct keeper *self, struct keeper_left *left)
{
	return ask_left(self, SWEEP, left);
}

int keeper_end(struct keeper *self, struct keeper_left *left)
{
	int code = ask_left(self, FINISH, left);
	keeper_release(self);
	return code;
}

void keeper_release(struct keeper *self)
{
	if (self->fd >= 0)
		close(self->fd);
	while (self->pid > 0 && waitpid(self->pid, NULL, 0) < 0 && errno == EINTR)
		;
	keeper_init(self);
}

void keeper_add_left(struct keeper_left *sum, const struct keeper_left *left)
{
	char names[KEEPER_NAMES_ROOM], *rest = names;
	memcpy(names, left->names, sizeof names);
	for (char *name; (name = strsep(&rest, ",")) && *name;)
		join_name(sum, name + (*name == ' '));
	sum->count += left->count;
	sum->refused_count += left->refused_count;
}

void keeper_describe(struct buf *out, const struct keeper_left *left)
{
	uint32_t all = left->count + left->refused_count;
	if (!all)
		return;
	char *names = text_terminal_copy(left->names);
	if (left->count)
		buf_format(out,
			   "heddle: %u process%s that the program left running %s killed: %s (--free leaves them "
			   "running)\n",
			   left->count, left->count == 1 ? "" : "es", left->count == 1 ? "was" : "were", names);
	if (left->refused_count)
		buf_format(out, "heddle: %u process%s that the program left running could not be killed: %s\n",
			   left->refused_count, left->refused_count == 1 ? "" : "es", names);
	free(names);
}
