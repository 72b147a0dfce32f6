/* Cancellation while disabled waits until it is enabled again; blocking calls in between are not interrupted. */
#include "check.h"
#include <semaphore.h>

static sem_t started, go;
static int survived;

static void *work(void *argument)
{
	(void)argument;
	int old;
	CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
	sem_post(&started);
	CHECK(sem_wait(&go) == 0);
	struct timespec pause = { 0, 1000000 };
	CHECK(nanosleep(&pause, NULL) == 0);
	pthread_testcancel();
	survived = 1;
	CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL) == 0);
	pthread_testcancel();
	survived = 2;
	return NULL;
}

int main(void)
{
	sem_init(&started, 0, 0);
	sem_init(&go, 0, 0);
	pthread_t thread = start(work, NULL);
	sem_wait(&started);
	CHECK(pthread_cancel(thread) == 0);
	CHECK(pthread_cancel(thread) == 0);
	sem_post(&go);
	CHECK(finish(thread) == PTHREAD_CANCELED);
	printf("survived %d\n", survived);
	return 0;
}
/*
 * expect: survived 1
 */
