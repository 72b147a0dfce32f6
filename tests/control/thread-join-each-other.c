/* Threads that join others than the main thread does: a chain, each joins the one before. */
#include "check.h"

#define COUNT 20
static pthread_t threads[COUNT];

static void *work(void *argument)
{
	long index = (long)argument;
	long below = index > 0 ? (long)finish(threads[index - 1]) : 0;
	return (void *)(below + index);
}

int main(void)
{
	for (long i = 0; i < COUNT; i++)
		threads[i] = start(work, (void *)i);
	printf("sum %ld\n", (long)finish(threads[COUNT - 1]));
	return 0;
}
/*
 * expect: sum 190
 */
