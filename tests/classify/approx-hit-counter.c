/*
 * A cache counts lookups and hits without a lock. Updates may be lost, which its author accepts: the ratio only has to
 * be plausible.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLIENTS = 2, LOOKUPS = 3, ENTRIES = 4 };

static struct {
	volatile unsigned lookups;
	volatile unsigned hits;
} statistics;

static const int cache[ENTRIES] = { 10, 0, 12, 13 };

static int look_up(int key)
{
	int value = cache[key % ENTRIES];
	statistics.lookups++; /*A*/
	if (value)
		statistics.hits++; /*B*/
	return value;
}

static void *run_client(void *argument)
{
	int *sum = argument;
	for (int i = 0; i < LOOKUPS; i++)
		*sum += look_up(i);
	return NULL;
}

int main(void)
{
	pthread_t clients[CLIENTS];
	int sums[CLIENTS] = { 0 };
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&clients[i], NULL, run_client, &sums[i]);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	if (!statistics.hits || !statistics.lookups || statistics.lookups > CLIENTS * LOOKUPS)
		abort();
	printf("sums %d %d\n", sums[0], sums[1]);
	return 0;
}
/*
 * expect: race A A class harmless reason approximate
 * expect: race B B class harmless reason approximate
 * why: the counters are statistics that are only compared with bounds that hold whatever is lost.
 */
