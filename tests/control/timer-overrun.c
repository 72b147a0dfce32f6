/* A timer has one signal that waits at most; what comes while it does is counted. Another timer's is another signal. */
#include "check.h"

#include <signal.h>

static volatile sig_atomic_t calls, overruns, values;

static void on_timer(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	calls++;
	overruns += info->si_overrun;
	values += info->si_value.sival_int;
}

static timer_t make(int signal_number, int value)
{
	timer_t timer;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = signal_number,
				  .sigev_value.sival_int = value };
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	return timer;
}

static void every_ms(timer_t timer, long nanoseconds)
{
	struct itimerspec time = { { 0, nanoseconds }, { 0, nanoseconds } };
	CHECK(timer_settime(timer, 0, &time, NULL) == 0);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_timer, .sa_flags = SA_SIGINFO };
	struct timespec while_blocked = { 0, 105 * 1000000 };
	sigset_t set;
	CHECK(sigaction(SIGRTMIN, &action, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGUSR1);
	CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	timer_t first = make(SIGRTMIN, 1), second = make(SIGUSR1, 10), third = make(SIGUSR1, 100);
	every_ms(first, 10 * 1000000);
	every_ms(second, 50 * 1000000);
	every_ms(third, 50 * 1000000);
	CHECK(nanosleep(&while_blocked, NULL) == 0);
	every_ms(first, 0);
	every_ms(second, 0);
	every_ms(third, 0);
	CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
	printf("%d calls, values %d, %d overruns\n", (int)calls, (int)values, (int)overruns);
	printf("the first: %d\n", timer_getoverrun(first));
	return 0;
}
/*
 * expect: 3 calls, values 111, 11 overruns
 * expect: the first: 9
 * skip: native
 */
