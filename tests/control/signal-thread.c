/* pthread_kill: the handler runs in the thread that was meant, also when it blocks in a wait or in a lock. */
#include "check.h"
#include <semaphore.h>
#include <signal.h>

#define COUNT 5
static sem_t handled, finished;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int me = -1;
static int hits[COUNT];

static void handler(int number)
{
	(void)number;
	CHECK(me >= 0);
	hits[me]++;
	sem_post(&handled);
}

static void *work(void *argument)
{
	me = (int)(long)argument;
	sem_post(&handled);
	if (me == 0) {
		/* EINTR is not for locks: it goes on waiting after the handler. */
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	} else {
		while (sem_wait(&finished) != 0)
			CHECK(errno == EINTR);
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	sem_init(&handled, 0, 0);
	sem_init(&finished, 0, 0);
	pthread_mutex_lock(&mutex);
	pthread_t threads[COUNT];
	for (long i = 0; i < COUNT; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < COUNT; i++)
		sem_wait(&handled);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < COUNT; i++) {
			CHECK(pthread_kill(threads[i], SIGUSR1) == 0);
			CHECK(sem_wait(&handled) == 0);
		}
	CHECK(pthread_kill(threads[0], 0) == 0);
	pthread_mutex_unlock(&mutex);
	for (int i = 1; i < COUNT; i++)
		sem_post(&finished);
	for (int i = 0; i < COUNT; i++) {
		finish(threads[i]);
		printf("%d", hits[i]);
	}
	printf("\n");
	return 0;
}
/*
 * expect: 33333
 */
