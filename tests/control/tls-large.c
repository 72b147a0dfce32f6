/* A thread-local array of 1 MB with initial values, in several threads, each with its own. */
#include "check.h"

static __thread int large[256 << 10] = { 7 };
static __thread long small = 5;

static void *work(void *argument)
{
	int value = (int)(long)argument;
	CHECK(large[0] == 7 && small == 5 && large[1000] == 0);
	for (int i = 0; i < 256 << 10; i += 1024)
		large[i] = value;
	small += value;
	sched_yield();
	long sum = small;
	for (int i = 0; i < 256 << 10; i += 1024)
		sum += large[i];
	return (void *)sum;
}

int main(void)
{
	pthread_t threads[6];
	long sum = 0;
	for (long i = 0; i < 6; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 6; i++)
		sum += (long)finish(threads[i]);
	CHECK(large[0] == 7 && small == 5);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 3885
 */
