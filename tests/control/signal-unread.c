/* Threads end with signals that nobody took, again and again, and more signals wait at a time than one would think: none
 * is lost for that. */
#include "check.h"
#include <signal.h>

#define THREADS 700
#define QUEUED 1500

static volatile int taken, sum;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	taken++;
	sum += info->si_value.sival_int;
}

static void *work(void *argument)
{
	(void)argument;
	for (int i = 0; i < 2; i++)
		CHECK(pthread_sigqueue(pthread_self(), SIGRTMIN + 2, (union sigval){ .sival_int = 1000000 }) == 0);
	CHECK(raise(SIGUSR2) == 0);
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 2);
	sigaddset(&set, SIGUSR2);
	CHECK(sigaction(SIGRTMIN + 2, &action, NULL) == 0 && sigaction(SIGUSR2, &action, NULL) == 0);
	CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		finish(start(work, NULL));
	for (int i = 0; i < QUEUED; i++)
		CHECK(sigqueue(getpid(), SIGRTMIN + 2, (union sigval){ .sival_int = i }) == 0);
	CHECK(taken == 0);
	sigdelset(&set, SIGUSR2);
	CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
	printf("taken %d sum %d\n", taken, sum);
	return 0;
}
/*
 * expect: taken 1500 sum 1124250
 */
