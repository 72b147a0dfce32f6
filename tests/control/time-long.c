/* Sleeps of hours and days end at once in virtual time, and the clocks show them. */
#include "check.h"
#include <poll.h>

static void *work(void *argument)
{
	for (int i = 0; i < 24; i++)
		CHECK(sleep(3600) == 0);
	return argument;
}

int main(void)
{
	long long before = now_ns(CLOCK_MONOTONIC), real = now_ns(CLOCK_REALTIME);
	time_t start_time = time(NULL);
	pthread_t thread = start(work, NULL);
	sleep(3600);
	CHECK(poll(NULL, 0, 3600000) == 0);
	finish(thread);
	long long hours = (now_ns(CLOCK_MONOTONIC) - before) / 3600000000000ll;
	long long real_hours = (now_ns(CLOCK_REALTIME) - real) / 3600000000000ll;
	printf("hours %lld %lld %ld\n", hours, real_hours, (long)(time(NULL) - start_time) / 3600);
	return 0;
}
/*
 * expect: hours 24 24 24
 * skip: native
 */
