/* A counter without a lock in two threads: how much is lost depends on the schedule, and woven it can be seen. */
#include "check.h"

static volatile int counter;

static void *work(void *argument)
{
	for (int i = 0; i < 5; i++)
		counter++;
	return argument;
}

int main(void)
{
	pthread_t a = start(work, NULL), b = start(work, NULL);
	finish(a);
	finish(b);
	printf("%d\n", counter);
	return 0;
}
/*
 * match: ^([2-9]|10)$
 */
