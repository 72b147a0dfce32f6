/* The owner of a robust mutex ends while others already wait for it: one is told, the rest get it in turn. */
#include "check.h"
#include <semaphore.h>

static pthread_mutex_t mutex;
static sem_t locked, go;
static int told, count;

static void *dies(void *argument)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);
	sem_post(&locked);
	CHECK(sem_wait(&go) == 0);
	return argument;
}

static void *waits(void *argument)
{
	int error = pthread_mutex_lock(&mutex);
	if (error == EOWNERDEAD) {
		told++;
		CHECK(pthread_mutex_consistent(&mutex) == 0);
	} else {
		CHECK(error == 0);
	}
	count++;
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	return argument;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&mutex, &attributes);
	sem_init(&locked, 0, 0);
	sem_init(&go, 0, 0);
	pthread_t owner = start(dies, NULL), threads[4];
	sem_wait(&locked);
	for (int i = 0; i < 4; i++)
		threads[i] = start(waits, NULL);
	usleep(1000);
	sem_post(&go);
	finish(owner);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	printf("told %d count %d\n", told, count);
	return 0;
}
/*
 * expect: told 1 count 4
 */
