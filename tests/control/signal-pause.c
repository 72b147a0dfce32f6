/* pause in one thread and sigsuspend in another are ended by signals that others send. */
#include "check.h"
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int stage, handled;

static void handler(int number)
{
	(void)number;
	handled++;
}

static void *pauses(void *argument)
{
	stage++;
	CHECK(pause() == -1 && errno == EINTR);
	stage += 10;
	return argument;
}

static void *suspends(void *argument)
{
	sigset_t none;
	sigemptyset(&none);
	stage++;
	CHECK(sigsuspend(&none) == -1 && errno == EINTR);
	stage += 10;
	return argument;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	pthread_t a = start(pauses, NULL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	pthread_t b = start(suspends, NULL);
	while (stage < 2)
		usleep(100);
	/* Blocked, it waits until b suspends, however late. */
	CHECK(pthread_kill(b, SIGUSR1) == 0);
	finish(b);
	/* A signal just before pause would be lost, as everywhere: so again and again. */
	while (stage < 22) {
		pthread_kill(a, SIGUSR1);
		usleep(1000);
	}
	finish(a);
	printf("stage %d handled %d\n", stage, handled >= 2);
	return 0;
}
/*
 * expect: stage 22 handled 1
 */
