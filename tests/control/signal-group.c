/* A process that leads its own group: getpgrp and getpid say the same, and a signal to the group reaches the process, its
 * child and its grandchild, by kill(0, ...) as by the group's number; not a child that has left the group. */
#include "check.h"
#include <signal.h>
#include <sys/wait.h>

static volatile int taken;

static void handler(int number)
{
	(void)number;
	taken++;
}

/* A child, which says that it is ready and then waits for a signal; with grandchild, that one says so too. */
static pid_t make(int ready, int leaves, int has_child)
{
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid)
		return pid;
	signal(SIGTERM, SIG_DFL);
	if (leaves)
		setpgid(0, 0);
	if (has_child && fork() == 0)
		has_child = 0;
	if (write(ready, "r", 1) != 1)
		_exit(1);
	while (1)
		pause();
}

static void wait_ready(int ready, int count)
{
	char byte;
	while (count--)
		CHECK(read(ready, &byte, 1) == 1);
}

static void round_with(pid_t target)
{
	int ready[2], status;
	char byte;
	CHECK(pipe(ready) == 0);
	pid_t leaves = make(ready[1], 1, 0), stays = make(ready[1], 0, 1);
	close(ready[1]);
	wait_ready(ready[0], 3);
	CHECK(kill(target, SIGTERM) == 0);
	CHECK(waitpid(stays, &status, 0) == stays);
	printf("%d: stayed: signal %d\n", taken, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	CHECK(kill(leaves, SIGKILL) == 0 && waitpid(leaves, &status, 0) == leaves);
	printf("left: signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	/* Nobody has the other end any more: the grandchild is gone, too. */
	CHECK(read(ready[0], &byte, 1) == 0);
	close(ready[0]);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	CHECK(setpgid(0, getpid()) == 0);
	printf("leads %d %d\n", getpgrp() == getpid(), getpgid(0) == getpid());
	CHECK(sigaction(SIGTERM, &action, NULL) == 0);
	CHECK(kill(0, 0) == 0);
	round_with(0);
	round_with(-getpgrp());
	return 0;
}
/*
 * expect: leads 1 1
 * expect: 1: stayed: signal 15
 * expect: left: signal 9
 * expect: 2: stayed: signal 15
 * expect: left: signal 9
 * timing: what comes from children comes when it comes
 */
