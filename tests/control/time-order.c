/* Threads that sleep 1, 2 and 3 seconds print in this order. */
#include "check.h"

static void *work(void *argument)
{
	long seconds = (long)argument;
	sleep((unsigned)seconds);
	printf("%ld\n", seconds);
	fflush(stdout);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	for (long i = 0; i < 3; i++)
		threads[i] = start(work, (void *)(3 - i));
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	return 0;
}
/*
 * expect: 1
 * expect: 2
 * expect: 3
 */
