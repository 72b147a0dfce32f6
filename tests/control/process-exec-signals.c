/* What a program leaves to the one that it becomes: blocked signals, those that are pending, and its alarm. An exec that
 * fails changes none of it. */
#include "check.h"
#include <signal.h>
#include <sys/time.h>

static void tell(const char *when)
{
	sigset_t blocked, pending;
	CHECK(sigprocmask(SIG_BLOCK, NULL, &blocked) == 0 && sigpending(&pending) == 0);
	printf("%s: blocked %d %d pending %d %d\n", when, sigismember(&blocked, SIGUSR1), sigismember(&blocked, SIGUSR2),
	       sigismember(&pending, SIGUSR1), sigismember(&pending, SIGUSR2));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	sigset_t set;
	if (argc > 1) {
		tell("after");
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		return sigwaitinfo(&set, NULL) == SIGALRM ? 5 : 99;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGALRM);
	CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	CHECK(raise(SIGUSR1) == 0);
	struct itimerval time = { .it_value = { 0, 300000 } };
	CHECK(setitimer(ITIMER_REAL, &time, NULL) == 0);
	CHECK(execl("/nowhere/at/all", "all", (char *)NULL) == -1 && errno == ENOENT);
	tell("before");
	sigdelset(&set, SIGUSR2);
	sigdelset(&set, SIGALRM);
	siginfo_t info;
	CHECK(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_pid == getpid());
	tell("taken");
	CHECK(raise(SIGUSR1) == 0);
	CHECK(getitimer(ITIMER_REAL, &time) == 0 && time.it_value.tv_usec > 0);
	execl("/proc/self/exe", argv[0], "again", (char *)NULL);
	return 99;
}
/*
 * expect: before: blocked 1 1 pending 1 0
 * expect: taken: blocked 1 1 pending 0 0
 * expect: after: blocked 1 1 pending 1 0
 * ends: exit 5 or exec
 * outside: the program becomes another one
 */
