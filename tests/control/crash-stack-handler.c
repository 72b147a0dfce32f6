/* A stack that overflows, and a handler that has no other stack to run on: the process ends as without the handler. */
#include "check.h"
#include <signal.h>

static void handler(int number)
{
	(void)number;
	_exit(9);
}

static __attribute__((noinline)) long down(volatile long *last)
{
	volatile long room[500];
	room[0] = *last + 1;
	if (room[0] < 0)
		return 0;
	return down(room) + room[1];
}

static void *work(void *argument)
{
	volatile long first = 0;
	(void)argument;
	return (void *)down(&first);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	printf("down\n");
	fflush(stdout);
	finish(start(work, NULL));
	return 0;
}
/*
 * expect: down
 * ends: signal 11
 * report: at down
 */
