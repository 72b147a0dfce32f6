/* SA_RESETHAND and SA_NODEFER, ignored signals, and what sigaction tells about the old one. */
#include "check.h"
#include <signal.h>

static volatile sig_atomic_t depth, worst, runs, left, once;

static void nested(int number)
{
	runs++;
	if (++depth > worst)
		worst = depth;
	if (left-- > 0)
		raise(number);
	depth--;
}

static void one_time(int number)
{
	(void)number;
	once++;
}

int main(void)
{
	struct sigaction action = { .sa_handler = nested, .sa_flags = SA_NODEFER }, old;
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	left = 3;
	raise(SIGUSR1);
	printf("nested %d runs %d\n", worst, runs);
	worst = runs = 0;
	action.sa_flags = 0;
	CHECK(sigaction(SIGUSR1, &action, &old) == 0 && (old.sa_flags & SA_NODEFER) && old.sa_handler == nested);
	/* Blocked in its own handler, so it comes again after each return. */
	left = 3;
	raise(SIGUSR1);
	printf("deferred %d runs %d\n", worst, runs);
	action.sa_handler = one_time;
	action.sa_flags = (int)SA_RESETHAND;
	CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
	raise(SIGUSR2);
	CHECK(sigaction(SIGUSR2, NULL, &old) == 0);
	printf("once %d default %d\n", once, old.sa_handler == SIG_DFL);
	CHECK(signal(SIGUSR2, SIG_IGN) == SIG_DFL);
	raise(SIGUSR2);
	CHECK(kill(getpid(), SIGUSR2) == 0);
	CHECK(signal(SIGKILL, one_time) == SIG_ERR && errno == EINVAL);
	/* By default these do nothing. */
	raise(SIGCHLD);
	raise(SIGWINCH);
	raise(SIGURG);
	printf("alive\n");
	return 0;
}
/*
 * expect: nested 4 runs 4
 * expect: deferred 1 runs 4
 * expect: once 1 default 1
 * expect: alive
 */
