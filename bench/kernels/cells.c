/*
 * cells.c: threads that read and write cells and do nothing else: cells THREADS STEPS KIND. A step is a read and a write of
 *   one    always the same cell of its own
 *   many   one of 1024 cells of its own, by turns
 *   shared one cell that all threads have in common, without a lock
 * Prints the nanoseconds of a step: the time of the threads, by the processor's clock, divided by all steps.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_THREADS 64
#define CELLS 1024

static volatile int cells[MAX_THREADS + 1][CELLS];
static long steps, nanoseconds;
static int is_shared, stride;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(volatile int *own)
{
	for (long i = 0, at = 0; i < steps; i++) {
		own[at] += 1;
		at = (at + stride) % CELLS;
	}
}

static void *work(void *argument)
{
	struct timespec time;
	volatile int *own = argument;
	add(own);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	pthread_mutex_lock(&lock);
	nanoseconds += time.tv_sec * 1000000000 + time.tv_nsec;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int count = argc > 1 ? atoi(argv[1]) : 2, sum = 0;
	const char *kind = argc > 3 ? argv[3] : "shared";
	steps = argc > 2 ? atol(argv[2]) : 1000;
	is_shared = strcmp(kind, "shared") == 0;
	stride = strcmp(kind, "many") == 0;
	if (count < 1 || count > MAX_THREADS || steps < 1)
		return 2;
	/* Two threads are seen at each cell, so that all are guarded. */
	for (int i = 0; i < count; i++)
		for (int j = 0; j < CELLS; j++)
			cells[i][j] = 1;
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, (void *)cells[is_shared ? 0 : i]);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < count; i++)
		for (int j = 0; j < CELLS; j++)
			sum += cells[i][j] > 0;
	printf("%.2f\n", (double)nanoseconds / (double)steps / count);
	return sum == count * CELLS ? 0 : 1;
}
