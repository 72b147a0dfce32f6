/* Asynchronous cancellation of a thread that is blocked in a system call, and of one that calls sched_yield for ever. */
#include "check.h"
#include <semaphore.h>

static sem_t started;
static int cleaned[2];

static void cleanup(void *argument)
{
	*(int *)argument = 1;
}

static void *blocked(void *argument)
{
	pthread_cleanup_push(cleanup, argument);
	CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
	sem_post(&started);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

static void *yielding(void *argument)
{
	pthread_cleanup_push(cleanup, argument);
	CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
	sem_post(&started);
	for (;;)
		sched_yield();
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	sem_init(&started, 0, 0);
	pthread_t a = start(blocked, &cleaned[0]), b = start(yielding, &cleaned[1]);
	sem_wait(&started);
	sem_wait(&started);
	CHECK(pthread_cancel(a) == 0);
	CHECK(pthread_cancel(b) == 0);
	CHECK(finish(a) == PTHREAD_CANCELED);
	CHECK(finish(b) == PTHREAD_CANCELED);
	printf("cleaned %d %d\n", cleaned[0], cleaned[1]);
	return 0;
}
/*
 * expect: cleaned 1 1
 */
