/* OpenMP: parallel for with static, dynamic and guided schedules, reductions, critical, atomic, ordered, barriers. */
#include "check.h"
#include <omp.h>

int main(void)
{
	long sum = 0, critical = 0, atomic_sum = 0;
	int order[20], length = 0;
	omp_set_num_threads(4);
#pragma omp parallel for reduction(+ : sum) schedule(static)
	for (int i = 0; i < 1000; i++)
		sum += i;
#pragma omp parallel for schedule(dynamic, 3)
	for (int i = 0; i < 60; i++) {
#pragma omp critical
		critical += i;
#pragma omp atomic
		atomic_sum += 2 * i;
	}
#pragma omp parallel for ordered schedule(guided)
	for (int i = 0; i < 20; i++) {
#pragma omp ordered
		order[length++] = i;
	}
	int is_ordered = 1;
	for (int i = 0; i < 20; i++)
		is_ordered &= order[i] == i;
	int stages[4] = { 0 }, bad = 0, singles = 0, team = 0;
#pragma omp parallel
	{
		int me = omp_get_thread_num();
#pragma omp single
		{
			singles++;
			team = omp_get_num_threads();
		}
		for (int round = 1; round <= 5; round++) {
			stages[me] = round;
#pragma omp barrier
			for (int i = 0; i < team; i++)
				if (stages[i] != round)
#pragma omp atomic
					bad++;
#pragma omp barrier
		}
	}
	printf("sum %ld critical %ld atomic %ld ordered %d singles %d bad %d team %d\n", sum, critical, atomic_sum,
	       is_ordered, singles, bad, team);
	return 0;
}
/*
 * expect: sum 499500 critical 1770 atomic 3540 ordered 1 singles 1 bad 0 team 4
 * flags: -fopenmp
 */
