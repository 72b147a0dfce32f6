/* waits.c: threads that wait for each other by other means than locks and join. What is right here is often only known to
 * who runs it: such pairs may be candidates, and then have doubts. */
#include <semaphore.h>

#include "pair.h"

/* A condition: the lock is given up while waiting, and held again behind it. */
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int is_ready, product;
THREAD(condition_1)
{
	pthread_mutex_lock(&m);
	product = 1;  // @PRODUCE
	is_ready = 1; // @READY1
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&m);
	return NULL;
}
THREAD(condition_2)
{
	pthread_mutex_lock(&m);
	while (!is_ready) // @READY2
		pthread_cond_wait(&ready, &m);
	int got = product; // @CONSUME
	pthread_mutex_unlock(&m);
	return got ? argument : NULL;
}

/* The same, and the product is used without the lock. */
int is_done, outside;
THREAD(outside_1)
{
	outside = 1; // @OUTSIDE1
	pthread_mutex_lock(&m);
	is_done = 1;
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&m);
	return NULL;
}
THREAD(outside_2)
{
	pthread_mutex_lock(&m);
	while (!is_done)
		pthread_cond_wait(&ready, &m);
	pthread_mutex_unlock(&m);
	return outside ? argument : NULL; // @OUTSIDE2
}

sem_t semaphore;
int posted;
THREAD(semaphore_1)
{
	posted = 1; // @POSTED1
	sem_post(&semaphore);
	return NULL;
}
THREAD(semaphore_2)
{
	sem_wait(&semaphore);
	return posted ? argument : NULL; // @POSTED2
}

pthread_barrier_t barrier;
int phase;
THREAD(barrier_1)
{
	phase = 1; // @PHASE1
	pthread_barrier_wait(&barrier);
	return NULL;
}
THREAD(barrier_2)
{
	pthread_barrier_wait(&barrier);
	return phase ? argument : NULL; // @PHASE2
}

pthread_once_t once = PTHREAD_ONCE_INIT;
int initialised;
static void initialise(void)
{
	initialised = 1; // @ONCE1
}
THREAD(once_1)
{
	pthread_once(&once, initialise);
	return initialised ? argument : NULL; // @ONCE2
}

int main(void)
{
	sem_init(&semaphore, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	BOTH(condition_1, condition_2);
	BOTH(outside_1, outside_2);
	BOTH(semaphore_1, semaphore_2);
	BOTH(barrier_1, barrier_2);
	BOTH(once_1, once_1);
	return 0;
}
/*
 * may: OUTSIDE1-OUTSIDE2
 * may: POSTED1-POSTED2
 * may: PHASE1-PHASE2
 * no: ONCE1-ONCE2: locked
 * no: ONCE1-ONCE1: locked
 * no: PRODUCE-CONSUME: locked
 * no: READY1-READY2: locked
 */
