/* alarm and setitimer: the handler runs when the time has come; pause returns; the rest of the time is told. */
#include "check.h"
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms;

static void handler(int number)
{
	(void)number;
	alarms++;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	sigset_t set, old;
	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	CHECK(alarm(100) == 0);
	unsigned left = alarm(0);
	CHECK(left == 100 || left == 99);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);
	long long before = now_ns(CLOCK_MONOTONIC);
	CHECK(alarm(1) == 0);
	CHECK(sigsuspend(&old) == -1 && errno == EINTR && alarms == 1);
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 990000000);
	struct itimerval every = { .it_interval = { 0, 2000 }, .it_value = { 0, 2000 } }, now;
	CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
	while (alarms < 6)
		CHECK(sigsuspend(&old) == -1 && errno == EINTR);
	CHECK(getitimer(ITIMER_REAL, &now) == 0 && now.it_interval.tv_usec == 2000);
	memset(&every, 0, sizeof(every));
	CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
	printf("ok\n");
	return 0;
}
/*
 * expect: ok
 */
