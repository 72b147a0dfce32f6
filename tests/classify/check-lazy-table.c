/*
 * A table of a checksum that the first user fills under a lock. Later users look at a flag without the lock, and read
 * the table without it as well.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { ENTRIES = 4, THREADS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_filled;
static volatile uint32_t table[ENTRIES];
static int filled;

static void fill(void)
{
	for (uint32_t i = 0; i < ENTRIES; i++)
		table[i] = (i << 4) ^ 0x1021; /*A*/
	filled++;
}

static uint32_t lookup(unsigned byte)
{
	if (!is_filled) { /*B*/
		pthread_mutex_lock(&lock);
		if (!is_filled) {
			fill();
			is_filled = 1; /*C*/
		}
		pthread_mutex_unlock(&lock);
	}
	return table[byte % ENTRIES]; /*D*/
}

static void *checksum(void *argument)
{
	uint32_t *sum = argument;
	*sum = lookup(*sum);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	uint32_t sums[THREADS];
	for (uint32_t i = 0; i < THREADS; i++) {
		sums[i] = i;
		pthread_create(&threads[i], NULL, checksum, &sums[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("sums %x %x %x, filled %d\n", sums[0], sums[1], sums[2], filled);
	return 0;
}
/*
 * expect: race A D class single-ordering|harmless
 * expect: race B C class harmless reason double-check
 * tag: beyond-sc
 * why: the flag is tested again under the lock; a thread that reads the table has seen the flag or held the lock, so it reads it filled, unless writes are reordered.
 */
