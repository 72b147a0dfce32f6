/* A signal to the process is handled by some thread that does not block it, exactly once. */
#include "check.h"
#include <signal.h>
#include <stdatomic.h>

static atomic_int handled, wrong;
static __thread int is_open;

static void handler(int number)
{
	(void)number;
	handled++;
	wrong += !is_open;
}

static void *work(void *argument)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	is_open = 1;
	CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
	while (handled < 20)
		usleep(200);
	return argument;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	sigset_t set;
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	pthread_t a = start(work, NULL), b = start(work, NULL);
	for (int i = 0; i < 20; i++) {
		CHECK(kill(getpid(), SIGUSR1) == 0);
		while (handled <= i)
			usleep(100);
	}
	finish(a);
	finish(b);
	printf("handled %d wrong %d\n", handled, wrong);
	return 0;
}
/*
 * expect: handled 20 wrong 0
 */
