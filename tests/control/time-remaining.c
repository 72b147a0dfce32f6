/* A sleep that a signal ends tells how much of it remains; sleeping on gives the whole time. */
#include "check.h"
#include <signal.h>
#include <stdatomic.h>

static atomic_int handled, is_over;

static void handler(int number)
{
	(void)number;
	handled++;
}

static void *sleeps(void *argument)
{
	struct timespec left = { 0, 50000000 };
	(void)argument;
	long long before = now_ns(CLOCK_MONOTONIC);
	int interrupted = 0;
	while (nanosleep(&left, &left) == -1) {
		CHECK(errno == EINTR && left.tv_sec == 0 && left.tv_nsec <= 60000000);
		interrupted++;
	}
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 49000000);
	is_over = 1;
	return (void *)(long)interrupted;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	pthread_t thread = start(sleeps, NULL);
	for (int i = 0; i < 5; i++) {
		usleep(3000);
		CHECK(pthread_kill(thread, SIGUSR1) == 0);
	}
	long interrupted = (long)finish(thread);
	printf("interrupted %d\n", interrupted >= 1 && interrupted <= 5);
	return 0;
}
/*
 * expect: interrupted 1
 * strict: that signals which are sent within 15 ms come while another thread sleeps for 50 ms
 */
