/*
 * A cache with a generation counter: entries are looked up by generation, which a flush raises without the lock. All
 * lookups but that of the last key take any generation; the last key is in the new generation only.
 */
#include <pthread.h>
#include <stdio.h>

enum { KEYS = 4 };

static volatile int generation;
static const int entries[2][KEYS] = { { 7, 8, 9, 0 }, { 7, 8, 9, 10 } };

static void *flush(void *unused)
{
	generation = 1; /*A*/
	return unused;
}

static int look_up(int key)
{
	return entries[generation][key]; /*B*/
}

static void *serve(void *argument)
{
	int *sum = argument;
	for (int key = 0; key < KEYS; key++) {
		int value = look_up(key);
		*sum += 100 / value;
	}
	return NULL;
}

int main(void)
{
	pthread_t flusher, server;
	int sum = 0;
	pthread_create(&flusher, NULL, flush, NULL);
	pthread_create(&server, NULL, serve, &sum);
	pthread_join(flusher, NULL);
	pthread_join(server, NULL);
	printf("sum %d\n", sum);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * why: the lookup of the last key in the old generation divides by zero; the others give the same in both.
 */
