/* gomp.c: threads of OpenMP, as GCC's library has them. It is not woven and synchronises by instructions of its own: nothing
 * among its threads and the one that they work for is reported, and what they do with locks goes on to others. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "case.h"

/* What the compiler calls for "#pragma omp parallel", "barrier" and "critical". */
void GOMP_parallel(void (*body)(void *), void *data, unsigned count, unsigned flags);
void GOMP_barrier(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
int omp_get_thread_num(void);

static volatile int x, y, parts[4];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void region(void *data)
{
	int mine = omp_get_thread_num();
	for (int i = 0; i < 3; i++) {
		parts[mine] = i;
		GOMP_barrier();
		if (parts[(mine + 1) % 4] != i)
			abort();
		GOMP_critical_start();
		x++;
		GOMP_critical_end();
		GOMP_barrier();
	}
	(void)data;
}
CASE(parallel)
{
	x = 1;
	GOMP_parallel(region, NULL, 4, 0);
	x++;
	GOMP_parallel(region, NULL, 4, 0);
	x++;
}

/* A thread that has nothing to do with it. */
static volatile int is_told;
static void tells(void *data)
{
	(void)data;
	if (omp_get_thread_num() != 1)
		return;
	pthread_mutex_lock(&m);
	is_told = 1;
	pthread_mutex_unlock(&m);
}
BODY(hears)
{
	int is_there = 0;
	while (!is_there) {
		pthread_mutex_lock(&m);
		is_there = is_told;
		pthread_mutex_unlock(&m);
		sched_yield();
	}
	y++;
}
CASE(passed_on)
{
	pthread_t id;
	pthread_create(&id, NULL, hears, NULL);
	y = 1;
	GOMP_parallel(tells, NULL, 2, 0);
	pthread_join(id, NULL);
}
static void touches(void *data)
{
	(void)data;
	if (omp_get_thread_num() == 1)
		y = 5; // @worker
}
BODY(touches_too) { y = 6; } // @other
CASE(race_with_other)
{
	pthread_t id;
	pthread_create(&id, NULL, touches_too, NULL);
	GOMP_parallel(touches, NULL, 2, 0);
	pthread_join(id, NULL);
}

CASES(CHOICE(parallel), CHOICE(passed_on), CHOICE(race_with_other))

/*
 * flags: -lgomp
 * case parallel: none
 * case passed_on: none
 * case race_with_other: worker-other
 */
