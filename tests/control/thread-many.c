/* 200 threads at the same time, all there before any of them may end. */
#include "check.h"

#define COUNT 200
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *work(void *argument)
{
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&mutex);
	total += (long)argument;
	pthread_mutex_unlock(&mutex);
	return argument;
}

int main(void)
{
	pthread_t threads[COUNT];
	long sum = 0;
	pthread_barrier_init(&barrier, NULL, COUNT + 1);
	for (long i = 0; i < COUNT; i++)
		threads[i] = start(work, (void *)i);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < COUNT; i++)
		sum += (long)finish(threads[i]);
	pthread_barrier_destroy(&barrier);
	printf("sum %ld total %ld\n", sum, total);
	return 0;
}
/*
 * expect: sum 19900 total 19900
 */
