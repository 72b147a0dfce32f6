/* Threads that start threads: a binary tree of depth 6, results added on the way up. */
#include "check.h"

static void *work(void *argument)
{
	long depth = (long)argument;
	if (depth == 0)
		return (void *)1;
	pthread_t left = start(work, (void *)(depth - 1)), right = start(work, (void *)(depth - 1));
	long sum = (long)finish(right);
	return (void *)(sum + (long)finish(left));
}

int main(void)
{
	printf("leaves %ld\n", (long)work((void *)6));
	return 0;
}
/*
 * expect: leaves 64
 */
