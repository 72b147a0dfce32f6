/*
 * SPLASH-2 FFT (and LU, Barnes): the times are read before they are taken.
 *
 * The main thread computes the times of the phases from fields that a worker writes at its end, and does not wait for
 * that end. Described by Wu and others (LOOM, OSDI 2010); Anticipating Invariants, table 1, W-R order. The clock here
 * is a counter, so that the right output is always the same.
 */
#include <pthread.h>
#include <stdio.h>

enum { PROCESSORS = 3, POINTS = 4 };

struct global {
	pthread_barrier_t start;
	int data[PROCESSORS][POINTS];
	long init_done_time;
	long finish_time;
	int total;
};

static struct global global;
static int ids[PROCESSORS] = { 0, 1, 2 };

static long transform(int id)
{
	long ticks = 0;
	for (int i = 0; i < POINTS; i++, ticks++)
		global.data[id][i] = id * POINTS + i;
	return ticks;
}

static void *slave_start(void *argument)
{
	int id = *(int *)argument;
	pthread_barrier_wait(&global.start);
	if (id == 0)
		global.init_done_time = 100;
	long ticks = transform(id);
	pthread_barrier_wait(&global.start);
	if (id == 0)
		global.finish_time = global.init_done_time + ticks; /*A*/
	return NULL;
}

static void wait_for_end(pthread_t *threads, int count)
{
	for (int i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	pthread_t threads[PROCESSORS];
	pthread_barrier_init(&global.start, NULL, PROCESSORS);
	for (int i = 0; i < PROCESSORS; i++)
		pthread_create(&threads[i], NULL, slave_start, &ids[i]);
	wait_for_end(threads, PROCESSORS);
#ifdef FIXED
	pthread_join(threads[0], NULL);
#endif
	long took = global.finish_time - global.init_done_time; /*B*/
#ifndef FIXED
	pthread_join(threads[0], NULL);
#endif
	for (int i = 0; i < PROCESSORS; i++)
		global.total += global.data[i][POINTS - 1];
	printf("total %d in %ld ticks\n", global.total, took);
	pthread_barrier_destroy(&global.start);
	return took != POINTS;
}
/*
 * pattern: order
 * finds: bad-exit data-race output-differs
 * race: A B
 * source: LOOM (OSDI 2010); Anticipating Invariants table 1, W-R order
 */
