/* Clocks never go back, in any thread, and agree with each other. */
#include "check.h"
#include <stdatomic.h>
#include <sys/time.h>

static atomic_llong newest;
static atomic_int backward;

static void *work(void *argument)
{
	for (int i = 0; i < 100; i++) {
		long long before = newest, now = now_ns(CLOCK_MONOTONIC);
		if (now < before)
			backward++;
		long long seen = newest;
		while (seen < now && !atomic_compare_exchange_weak(&newest, &seen, now))
			;
		if (i % 10 == 0)
			usleep(50);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	struct timeval day;
	struct timespec resolution;
	CHECK(gettimeofday(&day, NULL) == 0);
	long long real = now_ns(CLOCK_REALTIME), late = now_ns(CLOCK_REALTIME);
	CHECK(late >= real && real / 1000 - (day.tv_sec * 1000000ll + day.tv_usec) < 10000000);
	CHECK(time(NULL) - day.tv_sec <= 10 && day.tv_sec > 1500000000);
	CHECK(clock_getres(CLOCK_MONOTONIC, &resolution) == 0 && resolution.tv_sec == 0);
	CHECK(now_ns(CLOCK_MONOTONIC_RAW) > 0 && now_ns(CLOCK_BOOTTIME) > 0 && now_ns(CLOCK_REALTIME_COARSE) > 0);
	CHECK(now_ns(CLOCK_PROCESS_CPUTIME_ID) >= 0 && now_ns(CLOCK_THREAD_CPUTIME_ID) >= 0 && clock() >= 0);
	clockid_t cpu;
	CHECK(pthread_getcpuclockid(pthread_self(), &cpu) == 0 && now_ns(cpu) >= 0);
	struct timespec at;
	CHECK(clock_gettime(12345, &at) == -1 && errno == EINVAL);
	printf("backward %d\n", backward);
	return 0;
}
/*
 * expect: backward 0
 */
