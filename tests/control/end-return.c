/* main returns while threads run, wait and sleep: the process ends at once. */
#include "check.h"
#include <semaphore.h>

static sem_t never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *runs(void *argument)
{
	for (;;)
		sched_yield();
	return argument;
}

static void *waits(void *argument)
{
	sem_wait(&never);
	return argument;
}

static void *sleeps(void *argument)
{
	sleep(1000000);
	return argument;
}

static void *locks(void *argument)
{
	pthread_mutex_lock(&mutex);
	return argument;
}

int main(void)
{
	sem_init(&never, 0, 0);
	pthread_mutex_lock(&mutex);
	start(runs, NULL);
	start(waits, NULL);
	start(sleeps, NULL);
	start(locks, NULL);
	printf("returning\n");
	return 8;
}
/*
 * expect: returning
 * ends: exit 8
 */
