/* Producers and consumers over a bounded queue with two condition variables. */
#include "check.h"

#define ROOM 4
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], head, length;

static void *produce(void *argument)
{
	int base = (int)(long)argument;
	for (int i = 0; i < 60; i++) {
		pthread_mutex_lock(&mutex);
		while (length == ROOM)
			pthread_cond_wait(&not_full, &mutex);
		queue[(head + length++) % ROOM] = base + i;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *consume(void *argument)
{
	long sum = 0;
	(void)argument;
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (length == 0)
			pthread_cond_wait(&not_empty, &mutex);
		int value = queue[head];
		head = (head + 1) % ROOM;
		length--;
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&mutex);
		if (value < 0)
			return (void *)sum;
		sum += value;
	}
}

int main(void)
{
	pthread_t producers[3], consumers[2];
	for (int i = 0; i < 2; i++)
		consumers[i] = start(consume, NULL);
	for (long i = 0; i < 3; i++)
		producers[i] = start(produce, (void *)(i * 1000));
	for (int i = 0; i < 3; i++)
		finish(producers[i]);
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 2; i++) {
		while (length == ROOM)
			pthread_cond_wait(&not_full, &mutex);
		queue[(head + length++) % ROOM] = -1;
		pthread_cond_signal(&not_empty);
	}
	pthread_mutex_unlock(&mutex);
	long sum = (long)finish(consumers[0]);
	sum += (long)finish(consumers[1]);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 185310
 */
