/* A handler of SIGCHLD that reaps all children that have ended, and SIGCHLD ignored, where nothing is to be reaped. */
#include "check.h"
#include <signal.h>
#include <sys/wait.h>

static volatile sig_atomic_t reaped, sum;

static void handler(int number)
{
	int status, saved = errno;
	(void)number;
	while (waitpid(-1, &status, WNOHANG) > 0) {
		reaped++;
		sum += WEXITSTATUS(status);
	}
	errno = saved;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_NOCLDSTOP };
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
	CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);
	for (int i = 1; i <= 5; i++) {
		pid_t child = fork();
		CHECK(child >= 0);
		if (child == 0)
			_exit(i);
	}
	while (reaped < 5)
		sigsuspend(&old);
	printf("reaped %d sum %d\n", reaped, sum);
	CHECK(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0)
		_exit(1);
	CHECK(waitpid(child, NULL, 0) == -1 && errno == ECHILD);
	printf("none left\n");
	return 0;
}
/*
 * expect: reaped 5 sum 15
 * expect: none left
 * timing: children run in real time
 */
