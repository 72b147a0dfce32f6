/*
 * A job says in its input how many records it has. Workers check the free space and take it in two steps; with few
 * records there is room for all whatever happens, with many a worker runs over the end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 8, WORKERS = 2 };

static volatile int used;
static int count;
static char space[CAPACITY];

static void *store(void *argument)
{
	char name = *(char *)argument;
	if (used + count > CAPACITY) /*A*/
		return NULL;
	int first = used;     /*B*/
	used = first + count; /*C*/
	if (used > CAPACITY)  /*D*/
		abort();
	for (int i = 0; i < count && first + i < CAPACITY; i++)
		__atomic_store_n(&space[first + i], name, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];
	char names[WORKERS] = { 'a', 'b' };
	if (scanf("%d", &count) != 1 || count < 1 || count > CAPACITY)
		return 0;
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, store, &names[i]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("stored %d or more\n", count);
	return 0;
}
/*
 * stdin: 2
 * input: 6
 * expect: race A C class spec-violated
 * expect: race B C class spec-violated
 * expect: race C C class spec-violated
 * expect: race C D class spec-violated
 * why: with 6 records two workers that both pass the test take 12 of 8 bytes; with 2 both have room in either order.
 */
