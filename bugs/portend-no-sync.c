/*
 * Portend's no-sync: what is printed depends on how far the threads are.
 *
 * Two threads fill a reading and one of them then marks it as complete; the main thread prints both without waiting
 * for either. Portend uses it to count the outputs that reordered writes add. Here the value is read first, so that
 * threads that run by turns show all four. Kasikci's thesis, section 6.3.6 and figure 31(a); Portend (TOPLAS 2015).
 */
#include <pthread.h>
#include <stdio.h>

struct reading {
	volatile int value;
	volatile int is_complete;
};

static struct reading reading;

static void *measure(void *argument)
{
	struct reading *measured = argument;
	measured->value = 2;       /*A*/
	measured->is_complete = 1; /*B*/
	return NULL;
}

static void *estimate(void *argument)
{
	struct reading *estimated = argument;
	estimated->value = 2; /*C*/
	return NULL;
}

int main(void)
{
	pthread_t sensor, model;
	pthread_create(&sensor, NULL, measure, &reading);
#ifdef FIXED
	pthread_join(sensor, NULL);
#endif
	pthread_create(&model, NULL, estimate, &reading);
#ifdef FIXED
	pthread_join(model, NULL);
#endif
	int value = reading.value;             /*D*/
	int is_complete = reading.is_complete; /*E*/
	printf("value %d, complete %d\n", value, is_complete);
#ifndef FIXED
	pthread_join(sensor, NULL);
	pthread_join(model, NULL);
#endif
	return 0;
}
/*
 * pattern: order
 * finds: output-differs data-race
 * race: A C
 * class: A C harmless: both write the same value
 * race: A D
 * race: C D
 * race: B E
 * source: Portend no-sync, figure 31a
 */
