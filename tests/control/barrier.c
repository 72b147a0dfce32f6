/* A barrier used 50 times by 6 threads: exactly one serial thread a round, nobody a round ahead. */
#include "check.h"
#include <stdatomic.h>

#define COUNT 6
#define ROUNDS 50
static pthread_barrier_t barrier;
static atomic_int serial, arrived[ROUNDS];

static void *work(void *argument)
{
	for (int i = 0; i < ROUNDS; i++) {
		atomic_fetch_add(&arrived[i], 1);
		int result = pthread_barrier_wait(&barrier);
		CHECK(arrived[i] == COUNT);
		if (result == PTHREAD_BARRIER_SERIAL_THREAD)
			atomic_fetch_add(&serial, 1);
		else
			CHECK(result == 0);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[COUNT];
	CHECK(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
	CHECK(pthread_barrier_init(&barrier, NULL, COUNT) == 0);
	for (int i = 0; i < COUNT; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < COUNT; i++)
		finish(threads[i]);
	CHECK(pthread_barrier_destroy(&barrier) == 0);
	printf("serial %d\n", serial);
	return 0;
}
/*
 * expect: serial 50
 */
