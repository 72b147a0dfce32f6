/* exit from a thread while others run and the main thread joins: handlers run, the status is that thread's. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void at_exit(void)
{
	printf("handler\n");
}

static void *runs(void *argument)
{
	for (;;) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		sched_yield();
	}
	return argument;
}

static void *exits(void *argument)
{
	(void)argument;
	printf("exiting\n");
	exit(4);
}

int main(void)
{
	atexit(at_exit);
	pthread_t thread = start(runs, NULL);
	start(runs, NULL);
	start(exits, NULL);
	finish(thread);
	return 0;
}
/*
 * expect: exiting
 * expect: handler
 * ends: exit 4
 */
