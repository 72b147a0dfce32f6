/*
 * turns.c: two threads that have nothing to do with each other, so that only the strategy makes them take turns.
 *   turns lock STEPS     events are locks and unlocks of a mutex of one's own
 *   turns access STEPS   events are accesses, when woven; two a step
 *   turns block STEPS    the threads hand a token to each other: each step blocks
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static long steps;
static volatile long cells[2][8];
static sem_t tokens[2];

static void *turn_lock(void *argument)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	for (long i = 0; i < steps; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}

static void *turn_access(void *argument)
{
	volatile long *cell = argument;
	for (long i = 0; i < steps; i++)
		*cell += 1;
	return NULL;
}

static void *turn_block(void *argument)
{
	long self = (volatile long(*)[8])argument - cells;
	for (long i = 0; i < steps; i++) {
		sem_wait(&tokens[self]);
		sem_post(&tokens[1 - self]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	void *(*turn)(void *) = strcmp(argv[1], "lock") == 0     ? turn_lock
				: strcmp(argv[1], "access") == 0 ? turn_access
								 : turn_block;
	steps = atol(argv[2]);
	sem_init(&tokens[0], 0, 1);
	sem_init(&tokens[1], 0, 0);
	pthread_t thread;
	if (pthread_create(&thread, NULL, turn, (void *)cells[1]) != 0)
		return 2;
	turn((void *)cells[0]);
	pthread_join(thread, NULL);
	return 0;
}
