/*
 * A stack of free blocks with a top that is not locked: two threads that take from it may make the top negative, and
 * the block in front of the array is used.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 1, TAKERS = 2 };

static volatile int *blocks;
static volatile int top;

static void *take(void *argument)
{
	int *block = argument;
	if (top > 0) {                /*A*/
		top = top - 1;        /*B*/
		*block = blocks[top]; /*C*/
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[TAKERS];
	int taken[TAKERS] = { 0 };
	blocks = calloc(BLOCKS, sizeof *blocks);
	blocks[0] = 1;
	top = BLOCKS;
	for (int i = 0; i < TAKERS; i++)
		pthread_create(&threads[i], NULL, take, &taken[i]);
	for (int i = 0; i < TAKERS; i++)
		pthread_join(threads[i], NULL);
	printf("taken %d\n", taken[0] || taken[1]);
	free((void *)blocks);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * expect: race B B class spec-violated
 * expect: race B C class spec-violated
 * why: two threads that both see one block make the top -1, and the element in front of the array is read.
 */
