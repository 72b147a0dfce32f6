/* Asynchronous cancellation ends a thread in the middle of a computation that calls nothing. */
#include "check.h"
#include <semaphore.h>

static sem_t started;
static volatile unsigned long count;
static int cleaned;

static void cleanup(void *argument)
{
	(void)argument;
	cleaned = 1;
}

static void *work(void *argument)
{
	(void)argument;
	pthread_cleanup_push(cleanup, NULL);
	sem_post(&started);
	CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
	for (;;)
		count++;
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	sem_init(&started, 0, 0);
	pthread_t thread = start(work, NULL);
	sem_wait(&started);
	CHECK(pthread_cancel(thread) == 0);
	CHECK(finish(thread) == PTHREAD_CANCELED);
	printf("cleaned %d\n", cleaned);
	return 0;
}
/*
 * expect: cleaned 1
 * needs: weave
 */
