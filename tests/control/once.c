/* pthread_once from eight threads, with a routine that blocks, and again after the routine was cancelled. */
#include "check.h"
#include <semaphore.h>

static pthread_once_t once = PTHREAD_ONCE_INIT, broken = PTHREAD_ONCE_INIT;
static int runs, value, attempts;
static sem_t inside;

static void routine(void)
{
	runs++;
	usleep(1000);
	value = 42;
}

static void *work(void *argument)
{
	(void)argument;
	CHECK(pthread_once(&once, routine) == 0);
	return (void *)(long)value;
}

static void blocks_first_time(void)
{
	if (attempts++ == 0) {
		sem_post(&inside);
		for (;;)
			pause();
	}
}

static void *work_broken(void *argument)
{
	CHECK(pthread_once(&broken, blocks_first_time) == 0);
	return argument;
}

int main(void)
{
	pthread_t threads[8];
	long sum = 0;
	for (int i = 0; i < 8; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 8; i++)
		sum += (long)finish(threads[i]);
	printf("runs %d sum %ld\n", runs, sum);

	sem_init(&inside, 0, 0);
	pthread_t first = start(work_broken, NULL);
	sem_wait(&inside);
	pthread_t second = start(work_broken, NULL);
	CHECK(pthread_cancel(first) == 0);
	CHECK(finish(first) == PTHREAD_CANCELED);
	finish(second);
	printf("attempts %d\n", attempts);
	return 0;
}
/*
 * expect: runs 1 sum 336
 * expect: attempts 2
 */
