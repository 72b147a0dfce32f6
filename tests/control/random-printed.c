/* Prints what differs from run to run natively: the time, an address, random bytes, ids. One seed, one output. */
#include "check.h"
#include <sys/random.h>

static void *work(void *argument)
{
	char here;
	static int order;
	printf("thread %d: stack %p heap %p tid %d\n", __sync_fetch_and_add(&order, 1), (void *)&here, malloc(100),
	       gettid());
	return argument;
}

int main(void)
{
	unsigned value = 0;
	CHECK(getrandom(&value, sizeof(value), 0) == sizeof(value));
	srand((unsigned)time(NULL));
	printf("random %u seeded %d pid %d main %p heap %p\n", value, rand(), getpid(), (void *)main, malloc(10));
	printf("time %lld %lld\n", now_ns(CLOCK_REALTIME), now_ns(CLOCK_MONOTONIC));
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	return 0;
}
/*
 * output: the same for the same seed
 */
