/* The result of a thread is set by return, pthread_exit and cancellation, and can be ignored. */
#include "check.h"

static void *returns(void *argument)
{
	return argument;
}

static void *exits(void *argument)
{
	pthread_exit(argument);
}

static void *waits(void *argument)
{
	for (;;)
		pause();
	return argument;
}

int main(void)
{
	pthread_t a = start(returns, (void *)11), b = start(exits, (void *)22), c = start(waits, (void *)33),
		  d = start(exits, NULL);
	CHECK(pthread_cancel(c) == 0);
	printf("%ld %ld %d\n", (long)finish(a), (long)finish(b), finish(c) == PTHREAD_CANCELED);
	CHECK(pthread_join(d, NULL) == 0);
	return 0;
}
/*
 * expect: 11 22 1
 */
