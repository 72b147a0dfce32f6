/* A signal whose default is the end, from a thread to its own process. */
#include "check.h"
#include <signal.h>

static void *work(void *argument)
{
	CHECK(kill(getpid(), SIGTERM) == 0);
	for (;;)
		pause();
	return argument;
}

int main(void)
{
	CHECK(write(1, "before\n", 7) == 7);
	finish(start(work, NULL));
	return 0;
}
/*
 * expect: before
 * ends: signal 15
 */
