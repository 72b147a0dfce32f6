/* openmp.c: threads of a team. */
#include "pair.h"

/* Started in a team, and not waited for. */
int left;
static void *leave(void *argument)
{
	left++; // @LEFT
	return argument;
}

int plain, critical, once, updated, summed, items[100];

int main(void)
{
	int sum = 0;
#pragma omp parallel
	{
		plain++; // @PLAIN
#pragma omp critical
		critical++; // @CRITICAL
#pragma omp atomic
		updated++; // @UPDATED
	}
#pragma omp parallel for reduction(+ : sum) // @REDUCE
	for (int i = 0; i < 100; i++) {
		items[i] = i; // @ITEMS
		sum += i;
	}
	once = plain; // @AFTER
	summed = sum;
#pragma omp parallel
	{
		pthread_t thread;
		if (pthread_create(&thread, NULL, leave, NULL) == 0)
			pthread_detach(thread);
	}
	left = 0; // @BEHIND
	return critical + updated + items[3] + once + summed == 0;
}
/*
 * flags: -fopenmp
 * race: PLAIN-PLAIN
 * race: LEFT-LEFT
 * race: LEFT-BEHIND
 * may: ITEMS-ITEMS
 * may: REDUCE-REDUCE
 * no: CRITICAL-CRITICAL: locked
 * no: UPDATED-UPDATED: both-atomic
 * no: PLAIN-AFTER: ordered
 */
