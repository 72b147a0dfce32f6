/* timer_create with SIGEV_SIGNAL: values, intervals, overruns asked for, deletion. */
#include "check.h"
#include <signal.h>

static volatile sig_atomic_t ticks, value;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	CHECK(info->si_code == SI_TIMER);
	value = info->si_value.sival_int;
	ticks++;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	CHECK(sigaction(SIGRTMIN, &action, NULL) == 0);
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 31 };
	timer_t timer;
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	struct itimerspec every = { .it_interval = { 0, 3000000 }, .it_value = { 0, 1000000 } }, now;
	long long before = now_ns(CLOCK_MONOTONIC);
	CHECK(timer_settime(timer, 0, &every, NULL) == 0);
	while (ticks < 4) {
		struct timespec second = { 1, 0 };
		nanosleep(&second, NULL);
	}
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 9000000);
	CHECK(timer_gettime(timer, &now) == 0 && now.it_interval.tv_nsec == 3000000);
	CHECK(timer_getoverrun(timer) >= 0);
	CHECK(timer_delete(timer) == 0);
	printf("value %d\n", value);
	return 0;
}
/*
 * expect: value 31
 * flags: -lrt
 */
