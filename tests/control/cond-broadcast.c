/* Broadcast storms: twenty threads wait for each of thirty rounds, all are woken, none is left behind. */
#include "check.h"

#define COUNT 20
#define ROUNDS 30
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER, all_there = PTHREAD_COND_INITIALIZER;
static int round_now, waiting;
static long seen;

static void *work(void *argument)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		if (++waiting == COUNT)
			pthread_cond_signal(&all_there);
		while (round_now <= i)
			pthread_cond_wait(&turn, &mutex);
		seen += i;
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[COUNT];
	for (int i = 0; i < COUNT; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		while (waiting < COUNT)
			pthread_cond_wait(&all_there, &mutex);
		waiting = 0;
		round_now++;
		pthread_cond_broadcast(&turn);
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < COUNT; i++)
		finish(threads[i]);
	printf("seen %ld\n", seen);
	return 0;
}
/*
 * expect: seen 8700
 */
