/* 2000 threads, one after the other: stacks and whatever else a thread has are used again. */
#include "check.h"

static void *work(void *argument)
{
	return (void *)((long)argument * 2);
}

int main(void)
{
	long sum = 0;
	for (long i = 0; i < 2000; i++)
		sum += (long)finish(start(work, (void *)i));
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 3998000
 */
