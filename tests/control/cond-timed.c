/* Timed waits on condition variables with the real-time and the monotonic clock, that time out and that do not. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t realtime = PTHREAD_COND_INITIALIZER, monotonic;
static int is_ready;

static void *makes_ready(void *argument)
{
	usleep(2000);
	pthread_mutex_lock(&mutex);
	is_ready = 1;
	pthread_cond_broadcast(&monotonic);
	pthread_cond_broadcast(&realtime);
	pthread_mutex_unlock(&mutex);
	return argument;
}

static int wait_until(pthread_cond_t *cond, struct timespec at)
{
	int error = 0;
	while (!is_ready && error == 0)
		error = pthread_cond_timedwait(cond, &mutex, &at);
	return error;
}

int main(void)
{
	pthread_condattr_t attributes;
	clockid_t clock = -1;
	pthread_condattr_init(&attributes);
	CHECK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
	CHECK(pthread_condattr_getclock(&attributes, &clock) == 0 && clock == CLOCK_MONOTONIC);
	CHECK(pthread_condattr_setclock(&attributes, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
	CHECK(pthread_cond_init(&monotonic, &attributes) == 0);
	pthread_condattr_destroy(&attributes);

	pthread_mutex_lock(&mutex);
	long long before = now_ns(CLOCK_MONOTONIC);
	CHECK(wait_until(&monotonic, after_ms(CLOCK_MONOTONIC, 20)) == ETIMEDOUT);
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 20000000);
	CHECK(wait_until(&realtime, after_ms(CLOCK_REALTIME, 20)) == ETIMEDOUT);
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 39000000);
	CHECK(wait_until(&realtime, (struct timespec){ 1, 0 }) == ETIMEDOUT);
	CHECK(pthread_cond_timedwait(&realtime, &mutex, &(struct timespec){ 1, 1000000000 }) == EINVAL);
	struct timespec at = after_ms(CLOCK_MONOTONIC, 10);
	int error = 0;
	while (!is_ready && error == 0)
		error = pthread_cond_clockwait(&realtime, &mutex, CLOCK_MONOTONIC, &at);
	CHECK(error == ETIMEDOUT);

	pthread_t thread = start(makes_ready, NULL);
	CHECK(wait_until(&monotonic, after_ms(CLOCK_MONOTONIC, 100000)) == 0);
	is_ready = 0;
	pthread_mutex_unlock(&mutex);
	finish(thread);
	thread = start(makes_ready, NULL);
	pthread_mutex_lock(&mutex);
	CHECK(wait_until(&realtime, after_ms(CLOCK_REALTIME, 100000)) == 0);
	pthread_mutex_unlock(&mutex);
	finish(thread);
	CHECK(pthread_cond_destroy(&monotonic) == 0 && pthread_cond_destroy(&realtime) == 0);
	printf("ok\n");
	return 0;
}
/*
 * expect: ok
 */
