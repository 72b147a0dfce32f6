/* tryjoin, timedjoin and clockjoin, of a thread that still runs and of one that has ended. */
#include "check.h"
#include <semaphore.h>

static sem_t gate;

static void *work(void *argument)
{
	while (sem_wait(&gate) != 0)
		;
	return argument;
}

int main(void)
{
	sem_init(&gate, 0, 0);
	void *result = NULL;

	pthread_t thread = start(work, (void *)1);
	CHECK(pthread_tryjoin_np(thread, &result) == EBUSY);
	sem_post(&gate);
	int error;
	while ((error = pthread_tryjoin_np(thread, &result)) == EBUSY)
		usleep(100);
	printf("try %d %ld\n", error, (long)result);

	thread = start(work, (void *)2);
	struct timespec at = after_ms(CLOCK_REALTIME, 10);
	CHECK(pthread_timedjoin_np(thread, &result, &at) == ETIMEDOUT);
	sem_post(&gate);
	at = after_ms(CLOCK_REALTIME, 100000);
	error = pthread_timedjoin_np(thread, &result, &at);
	printf("timed %d %ld\n", error, (long)result);

	thread = start(work, (void *)3);
	at = after_ms(CLOCK_MONOTONIC, 10);
	CHECK(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &at) == ETIMEDOUT);
	sem_post(&gate);
	at = after_ms(CLOCK_MONOTONIC, 100000);
	error = pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &at);
	printf("clock %d %ld\n", error, (long)result);

	CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
	return 0;
}
/*
 * expect: try 0 1
 * expect: timed 0 2
 * expect: clock 0 3
 */
