/*
 * pfscan 1.0: the main thread waits for ever for workers that have ended.
 *
 * The main thread spins until the count of active workers is 0. A worker that finds nothing to do may end before the
 * main thread has said how many workers there are; its end is overwritten then, and the count never comes to 0. The
 * paper says only that it is an order violation that ends in a spin loop while waiting for workers; which order is
 * our reading. Frost (SOSP 2011), section 4.1.2 and Table 2.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 2, FILES = 3 };

static const char *const files[FILES] = { "needle in hay", "only hay", "hay and a needle" };

static struct {
	int next;
	pthread_mutex_t lock;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct {
	int count;
	pthread_mutex_t lock;
} active = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int matches[WORKERS];

static const char *queue_get(void)
{
	pthread_mutex_lock(&queue.lock);
	const char *file = queue.next < FILES ? files[queue.next++] : NULL;
	pthread_mutex_unlock(&queue.lock);
	return file;
}

static void *scan(void *argument)
{
	int *found = argument;
	const char *file;
	while ((file = queue_get()) != NULL)
		*found += strstr(file, "needle") != NULL;
	pthread_mutex_lock(&active.lock);
	active.count--; /*B*/
	pthread_mutex_unlock(&active.lock);
	return NULL;
}

static void wait_for_workers(void)
{
	for (;;) {
		pthread_mutex_lock(&active.lock);
		int count = active.count;
		pthread_mutex_unlock(&active.lock);
		if (count == 0)
			return;
		sched_yield();
	}
}

int main(void)
{
	pthread_t workers[WORKERS];
#ifdef FIXED
	active.count = WORKERS;
#endif
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, scan, &matches[i]);
#ifndef FIXED
	active.count = WORKERS; /*A*/
#endif
	wait_for_workers();
	printf("matches %d\n", matches[0] + matches[1]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	return 0;
}
/*
 * pattern: order
 * finds: hang data-race
 * race: A B
 * source: Frost table 2; pfscan 1.0
 */
