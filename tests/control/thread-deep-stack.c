/* Deep recursion in the main thread and in others at the same time: the stacks grow and stay apart. */
#include "check.h"

static __attribute__((noinline)) long deep(long depth, long seed)
{
	volatile char room[1000];
	room[depth % 1000] = (char)seed;
	if (depth == 0)
		return seed;
	if (depth % 500 == 0)
		getppid();
	long below = deep(depth - 1, seed);
	return below + (room[depth % 1000] == (char)seed);
}

static void *work(void *argument)
{
	return (void *)deep(5000, (long)argument);
}

int main(void)
{
	pthread_t threads[3];
	for (long i = 0; i < 3; i++)
		threads[i] = start(work, (void *)(i + 1));
	long sum = deep(6000, 7);
	for (int i = 0; i < 3; i++)
		sum += (long)finish(threads[i]);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 21013
 */
