/*
 * A value that the system is asked for once and then kept: each thread that finds nothing kept asks itself, and all
 * get the same answer. PLDI 2007 had a process identifier.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3 };

static volatile long cached_page_size;

static long page_size(void)
{
	long size = cached_page_size; /*A*/
	if (!size) {
		size = sysconf(_SC_PAGESIZE);
		cached_page_size = size; /*B*/
	}
	return size;
}

static void *round_up(void *argument)
{
	long *bytes = argument;
	long size = page_size();
	*bytes = (*bytes + size - 1) / size;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	long bytes[THREADS] = { 1, 5000, 0 };
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, round_up, &bytes[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("pages %ld %ld %ld\n", bytes[0], bytes[1], bytes[2]);
	return 0;
}
/*
 * expect: race A B class harmless reason redundant-write|both-values-valid
 * expect: race B B class harmless reason redundant-write
 * why: the value is read once into a local, 0 or right; who reads 0 asks for the same value and writes it again.
 */
