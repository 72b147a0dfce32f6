/*
 * A loader fills the configuration and then sets a flag; workers wait for the flag in a loop before they use the
 * configuration.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { WORKERS = 2 };

struct configuration {
	volatile int port;
	volatile int backlog;
};

static struct configuration configuration;
static volatile int is_loaded;

static void *load(void *unused)
{
	configuration.port = 8080;  /*A*/
	configuration.backlog = 16; /*B*/
	is_loaded = 1;              /*C*/
	return unused;
}

static void wait_for_configuration(void)
{
	while (!is_loaded) /*D*/
		sched_yield();
}

static void *serve(void *argument)
{
	int *sum = argument;
	wait_for_configuration();
	*sum = configuration.port;     /*E*/
	*sum += configuration.backlog; /*F*/
	return NULL;
}

int main(void)
{
	pthread_t loader, workers[WORKERS];
	int sums[WORKERS], total = 0;
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, serve, &sums[i]);
	pthread_create(&loader, NULL, load, NULL);
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i], NULL);
		total += sums[i];
	}
	pthread_join(loader, NULL);
	printf("total %d\n", total);
	return 0;
}
/*
 * expect: race A E class single-ordering
 * expect: race B F class single-ordering
 * expect: race C D class harmless reason user-synchronisation|both-values-valid
 * why: a worker that reads the flag too early reads it again; the configuration cannot be read before the flag is set, since the loop does not end.
 */
