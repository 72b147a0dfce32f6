/*
 * A consumer reads the high-water mark in every round, but only the last round relies on it: then all must have been
 * written. The rounds before it take any value.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 6 };

static volatile int high_water;

static void *produce(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++)
		high_water = i; /*A*/
	return unused;
}

static void *consume(void *argument)
{
	int *sum = argument;
	for (int i = 1; i <= ROUNDS; i++) {
		int seen = high_water; /*B*/
		if (i == ROUNDS)
			assert(seen >= 1);
		*sum += i;
	}
	return NULL;
}

int main(void)
{
	pthread_t producer, consumer;
	int sum = 0;
	pthread_create(&producer, NULL, produce, NULL);
	pthread_create(&consumer, NULL, consume, &sum);
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	printf("sum %d\n", sum);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * why: only the sixth read matters: it fails if none of the writes came before it.
 */
