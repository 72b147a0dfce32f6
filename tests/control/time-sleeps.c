/* usleep, nanosleep, clock_nanosleep relative and absolute, select as sleep: each takes at least its time. */
#include "check.h"
#include <poll.h>
#include <sys/select.h>

static long long begun;

static void took(const char *what, long long least_ns)
{
	long long now = now_ns(CLOCK_MONOTONIC);
	printf("%s %s\n", what, now - begun >= least_ns ? "ok" : "too short");
	begun = now_ns(CLOCK_MONOTONIC);
}

int main(void)
{
	begun = now_ns(CLOCK_MONOTONIC);
	usleep(3000);
	took("usleep", 3000000);
	struct timespec pause = { 0, 2000000 };
	CHECK(nanosleep(&pause, NULL) == 0);
	took("nanosleep", 2000000);
	CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL) == 0);
	took("clock_nanosleep", 2000000);
	struct timespec at = after_ms(CLOCK_MONOTONIC, 4);
	CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == 0);
	took("absolute", 3000000);
	CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == 0);
	at = after_ms(CLOCK_REALTIME, 4);
	CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL) == 0);
	took("real", 3000000);
	struct timeval tenth = { 0, 10000 };
	CHECK(select(0, NULL, NULL, NULL, &tenth) == 0);
	took("select", 9000000);
	CHECK(poll(NULL, 0, 2) == 0);
	took("poll", 1900000);
	struct timespec bad = { 0, 1000000000 };
	CHECK(nanosleep(&bad, NULL) == -1 && errno == EINVAL);
	CHECK(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &pause, NULL) == EINVAL);
	return 0;
}
/*
 * expect: usleep ok
 * expect: nanosleep ok
 * expect: clock_nanosleep ok
 * expect: absolute ok
 * expect: real ok
 * expect: select ok
 * expect: poll ok
 */
