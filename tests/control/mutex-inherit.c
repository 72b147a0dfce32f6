/* A mutex with priority inheritance: plain, contended, tried, timed, and robust. */
#include "check.h"

static pthread_mutex_t mutex, robust;
static int count;

static void *work(void *argument)
{
	for (int i = 0; i < 30; i++) {
		CHECK(pthread_mutex_lock(&mutex) == 0);
		int seen = count;
		sched_yield();
		count = seen + 1;
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
	return argument;
}

static void *fails(void *argument)
{
	CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
	struct timespec at = after_ms(CLOCK_REALTIME, 5);
	CHECK(pthread_mutex_timedlock(&mutex, &at) == ETIMEDOUT);
	return argument;
}

static void *dies(void *argument)
{
	CHECK(pthread_mutex_lock(&robust) == 0);
	return argument;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
	pthread_mutex_init(&mutex, &attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	CHECK(pthread_mutex_lock(&mutex) == 0);
	finish(start(fails, NULL));
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	finish(start(dies, NULL));
	CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD);
	CHECK(pthread_mutex_consistent(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);
	printf("count %d\n", count);
	return 0;
}
/*
 * expect: count 120
 */
