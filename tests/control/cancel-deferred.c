/* Deferred cancellation: nothing happens before a cancellation point; then the cleanup handlers run. */
#include "check.h"
#include <semaphore.h>

static sem_t started, cancelled;
static int steps, cleaned;

static void cleanup(void *argument)
{
	cleaned += *(int *)argument;
}

static void *work(void *argument)
{
	int one = 1, ten = 10;
	(void)argument;
	pthread_cleanup_push(cleanup, &one);
	pthread_cleanup_push(cleanup, &ten);
	sem_post(&started);
	int type;
	CHECK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type) == 0 && type == PTHREAD_CANCEL_DEFERRED);
	/* Not a cancellation point, so the request stays pending. */
	while (sem_trywait(&cancelled) != 0)
		sched_yield();
	for (int i = 0; i < 100; i++)
		steps++;
	pthread_testcancel();
	steps = -1;
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(1);
	return NULL;
}

int main(void)
{
	sem_init(&started, 0, 0);
	sem_init(&cancelled, 0, 0);
	pthread_t thread = start(work, NULL);
	sem_wait(&started);
	CHECK(pthread_cancel(thread) == 0);
	sem_post(&cancelled);
	CHECK(finish(thread) == PTHREAD_CANCELED);
	printf("steps %d cleaned %d\n", steps, cleaned);
	return 0;
}
/*
 * expect: steps 100 cleaned 11
 */
