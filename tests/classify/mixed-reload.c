/*
 * A reload with two races: the address of the table, which is freed while a reader uses it, and a flag that every
 * thread sets to 1.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *volatile table;
static volatile int was_used;

static void *reload(void *unused)
{
	int *old = table, *new_table = malloc(sizeof *new_table);
	*new_table = 7;    /*G*/
	was_used = 1;      /*A*/
	table = new_table; /*B*/
	free(old);         /*C*/
	return unused;
}

static void *read_table(void *argument)
{
	int *value = argument;
	was_used = 1;         /*D*/
	int *current = table; /*E*/
	*value = *current;    /*F*/
	return NULL;
}

int main(void)
{
	pthread_t reloader, reader;
	int value;
	table = malloc(sizeof *table);
	*table = 7;
	pthread_create(&reloader, NULL, reload, NULL);
	pthread_create(&reader, NULL, read_table, &value);
	pthread_join(reloader, NULL);
	pthread_join(reader, NULL);
	printf("value %d, used %d\n", value, was_used);
	free(table);
	return 0;
}
/*
 * expect: race A D class harmless reason redundant-write
 * expect: race B E class spec-violated
 * expect: race C F class spec-violated
 * expect: race F G class single-ordering
 * why: a reader that takes the address before it is replaced reads freed memory; the flag is 1 in any order; the new table is read only after it was published.
 */
