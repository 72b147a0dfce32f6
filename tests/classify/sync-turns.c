/*
 * Two stages of a pipeline take turns by a shared variable: the first writes a sample into a slot, the second takes it
 * out and gives the turn back.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { SAMPLES = 3 };
enum stage { PRODUCER, CONSUMER };

static volatile int turn = PRODUCER;
static volatile int slot;

static void wait_for_turn(enum stage stage)
{
	while (turn != (int)stage) /*A*/
		sched_yield();
}

static void *produce(void *unused)
{
	for (int i = 1; i <= SAMPLES; i++) {
		wait_for_turn(PRODUCER);
		slot = i * 10;   /*B*/
		turn = CONSUMER; /*C*/
	}
	return unused;
}

static void *consume(void *argument)
{
	int *sum = argument;
	for (int i = 1; i <= SAMPLES; i++) {
		wait_for_turn(CONSUMER);
		*sum += slot;    /*D*/
		turn = PRODUCER; /*E*/
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
 * expect: race A C class harmless reason user-synchronisation|both-values-valid
 * expect: race A E class harmless reason user-synchronisation|both-values-valid
 * expect: race B D class single-ordering
 * expect: race C E class single-ordering
 * why: who reads the old turn waits one more round; slot and turn are written only by the stage that has the turn, while the other waits in its loop.
 */
