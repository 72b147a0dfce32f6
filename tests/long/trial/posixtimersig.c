#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void chk_(const char *s, int l, long ok)
{
	if (!ok) {
		printf("WRONG line %d: %s (errno %d)\n", l, s, errno);
		fflush(stdout);
	}
}
#define chk(x) chk_(#x, __LINE__, !!(x))
static volatile int g, ov;
static void h(int s, siginfo_t *i, void *c)
{
	g++;
	ov += i->si_overrun;
}
int main()
{
	struct sigaction sa = { .sa_sigaction = h, .sa_flags = SA_SIGINFO };
	sigaction(SIGRTMIN, &sa, 0);
	timer_t t;
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	timer_create(CLOCK_MONOTONIC, &e, &t);
	struct itimerspec i = { { 0, 1000000 }, { 0, 1000000 } };
	timer_settime(t, 0, &i, 0);
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &s, 0);
	usleep(10500);
	sigprocmask(SIG_UNBLOCK, &s, 0);
	usleep(100);
	printf("g %d ov %d\n", g, ov);
	chk(g + ov >= 10);
}
