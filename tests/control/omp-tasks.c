/* OpenMP: tasks that make tasks, task dependences, sections, locks, and a parallel region inside another. */
#include "check.h"
#include <omp.h>

static int fibonacci(int n)
{
	int a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 3)
	a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 3)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
	int result = 0, chain = 1, sections = 0, locked = 0, nested = 0;
	omp_lock_t lock;
	omp_init_lock(&lock);
	omp_set_num_threads(3);
	omp_set_max_active_levels(2);
#pragma omp parallel
#pragma omp single
	result = fibonacci(12);
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(inout : chain)
		chain += 4;
#pragma omp task depend(inout : chain)
		chain *= 10;
#pragma omp task depend(inout : chain)
		chain -= 8;
	}
#pragma omp parallel sections reduction(+ : sections)
	{
#pragma omp section
		sections += 1;
#pragma omp section
		sections += 10;
#pragma omp section
		sections += 100;
	}
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(2)
		{
			omp_set_lock(&lock);
			locked++;
			omp_unset_lock(&lock);
#pragma omp atomic
			nested += omp_get_level();
		}
	}
	omp_destroy_lock(&lock);
	printf("fibonacci %d chain %d sections %d locked %d nested %d\n", result, chain, sections, locked, nested);
	return 0;
}
/*
 * expect: fibonacci 144 chain 42 sections 111 locked 4 nested 8
 * flags: -fopenmp
 */
