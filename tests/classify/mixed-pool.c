/*
 * A pool of workers with two races: the index of the next job, which may be taken twice, and a statistic of how busy
 * the pool is, which nobody relies on. The failure is the first one's alone.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WORKERS = 2, JOBS = 2 };

static volatile int next_job;
static volatile unsigned busy_ticks;
static atomic_int taken[JOBS];

static void *work(void *unused)
{
	int job = next_job; /*A*/
	if (job >= JOBS)
		return unused;
	next_job = job + 1; /*B*/
	assert(atomic_fetch_add(&taken[job], 1) == 0);
	busy_ticks += 3; /*C*/
	return unused;
}

int main(void)
{
	pthread_t threads[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("jobs %d\n", taken[0] + taken[1]);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * expect: race B B class spec-violated
 * expect: race C C class harmless reason approximate
 * why: a job is done twice if the index is read before the other thread writes it; the ticks are never read.
 */
