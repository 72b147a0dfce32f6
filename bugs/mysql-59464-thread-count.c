/*
 * MySQL bugs 59464 and 56324: a count that loses a step.
 *
 * Table 1 of Anticipating Invariants has them under R-W|R-W: a variable is read, changed and written back by two
 * threads at the same time, and one change is lost. The table tells no more, so the code is ours, after a server that
 * counts its connections down and whose shutdown waits until none is left. When two connections end together the count
 * never gets to zero.
 */
#include <pthread.h>
#include <stdio.h>

enum { CONNECTIONS = 3 };

struct server {
	pthread_mutex_t lock; /* guards thread_count */
	pthread_cond_t count_changed;
	int thread_count;
};

static struct server server = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };

static void end_connection(void)
{
#ifndef FIXED
	server.thread_count--; /*A*/
#endif
	pthread_mutex_lock(&server.lock);
#ifdef FIXED
	server.thread_count--;
#endif
	pthread_cond_signal(&server.count_changed);
	pthread_mutex_unlock(&server.lock);
}

static void *connection(void *argument)
{
	int *query = argument;
	*query *= 2;
	end_connection();
	return NULL;
}

static void wait_for_connections(void)
{
	pthread_mutex_lock(&server.lock);
	while (server.thread_count > 0)
		pthread_cond_wait(&server.count_changed, &server.lock);
	pthread_mutex_unlock(&server.lock);
}

int main(void)
{
	pthread_t threads[CONNECTIONS];
	int queries[CONNECTIONS] = { 1, 2, 3 };
	server.thread_count = CONNECTIONS;
	for (int i = 0; i < CONNECTIONS; i++)
		pthread_create(&threads[i], NULL, connection, &queries[i]);
	wait_for_connections();
	int sum = 0;
	for (int i = 0; i < CONNECTIONS; i++) {
		pthread_join(threads[i], NULL);
		sum += queries[i];
	}
	printf("sum %d, %d connections left\n", sum, server.thread_count);
	return 0;
}
/*
 * pattern: RWW
 * finds: deadlock data-race
 * race: A A
 * source: Anticipating Invariants table 1, R-W|R-W; MySQL 59464, 56324 (code ours)
 */
