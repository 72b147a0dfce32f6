/* timedlock and clocklock: time out while another holds the mutex, succeed when it is given back, and bad times. */
#include "check.h"
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *times_out(void *argument)
{
	struct timespec at = after_ms(CLOCK_REALTIME, 5), past = { 1, 0 }, bad = { 1, -1 };
	CHECK(pthread_mutex_timedlock(&mutex, &at) == ETIMEDOUT);
	CHECK(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
	CHECK(pthread_mutex_timedlock(&mutex, &bad) == EINVAL);
	long long before = now_ns(CLOCK_MONOTONIC);
	at = after_ms(CLOCK_MONOTONIC, 20);
	CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &at) == ETIMEDOUT);
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 20000000);
	return argument;
}

static void *gets_it(void *argument)
{
	struct timespec at = after_ms(CLOCK_REALTIME, 100000);
	CHECK(pthread_mutex_timedlock(&mutex, &at) == 0);
	++*(int *)argument;
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	at = after_ms(CLOCK_MONOTONIC, 100000);
	CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &at) == 0);
	++*(int *)argument;
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	return NULL;
}

int main(void)
{
	int count = 0;
	pthread_mutex_lock(&mutex);
	finish(start(times_out, NULL));
	pthread_t a = start(gets_it, &count), b = start(gets_it, &count);
	usleep(1000);
	pthread_mutex_unlock(&mutex);
	finish(a);
	finish(b);
	printf("count %d\n", count);
	return 0;
}
/*
 * expect: count 4
 */
