/*
 * The order in which two tables are locked depends on a setting that is changed while a query runs: each thread reads
 * it once, and two threads that read different values lock in opposite orders.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t tables[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static volatile int is_reversed;
static int rows; /* under both locks */

static void change_both(int first)
{
	pthread_mutex_lock(&tables[first]);
	pthread_mutex_lock(&tables[1 - first]);
	rows++;
	pthread_mutex_unlock(&tables[1 - first]);
	pthread_mutex_unlock(&tables[first]);
}

static void *query(void *unused)
{
	change_both(is_reversed); /*A*/
	return unused;
}

static void *reorganise(void *unused)
{
	is_reversed = 1; /*B*/
	change_both(1);
	return unused;
}

int main(void)
{
	pthread_t querying, reorganising;
	pthread_create(&querying, NULL, query, NULL);
	pthread_create(&reorganising, NULL, reorganise, NULL);
	pthread_join(querying, NULL);
	pthread_join(reorganising, NULL);
	printf("rows %d\n", rows);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * why: a query that reads 0 locks the tables in the opposite order, and each thread may wait for the other.
 */
