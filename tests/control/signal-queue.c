/* Queued real-time signals keep order and values; ordinary ones that are pending twice come once. */
#include "check.h"
#include <signal.h>

static int values[20], count, ordinary;

static void handler(int number, siginfo_t *info, void *context)
{
	CHECK(context != NULL && info->si_signo == number);
	if (number == SIGUSR1) {
		ordinary++;
	} else {
		CHECK(info->si_code == SI_QUEUE && info->si_pid == getpid());
		values[count++] = info->si_value.sival_int;
	}
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	sigset_t set, old, pending;
	CHECK(sigaction(SIGRTMIN, &action, NULL) == 0 && sigaction(SIGRTMIN + 1, &action, NULL) == 0);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGRTMIN + 1);
	sigaddset(&set, SIGUSR1);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
	for (int i = 0; i < 5; i++) {
		CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i }) == 0);
		CHECK(kill(getpid(), SIGUSR1) == 0);
	}
	CHECK(pthread_sigqueue(pthread_self(), SIGRTMIN + 1, (union sigval){ .sival_int = 50 }) == 0);
	CHECK(count == 0);
	CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGRTMIN) && sigismember(&pending, SIGUSR1) &&
	      !sigismember(&pending, SIGUSR2));
	siginfo_t info;
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	CHECK(sigwaitinfo(&one, &info) == SIGUSR1);
	sigaddset(&one, SIGRTMIN);
	CHECK(sigwaitinfo(&one, &info) == SIGRTMIN && info.si_value.sival_int == 0);
	CHECK(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
	int sum = 0, last = 0, is_rising = 1;
	for (int i = 0; i < count; i++) {
		sum += values[i];
		if (values[i] < 50) {
			is_rising &= values[i] > last;
			last = values[i];
		}
	}
	printf("count %d sum %d rising %d ordinary %d\n", count, sum, is_rising, ordinary);
	return 0;
}
/*
 * expect: count 5 sum 60 rising 1 ordinary 0
 */
