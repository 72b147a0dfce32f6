/*
 * A worker clears the request to stop when it starts. If the request was made before that, it is lost, and the worker
 * never ends.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static volatile int stop_requested;

static void *run(void *unused)
{
	stop_requested = 0;     /*A*/
	while (!stop_requested) /*B*/
		sched_yield();
	return unused;
}

static void request_stop(void)
{
	stop_requested = 1; /*C*/
}

int main(void)
{
	pthread_t worker;
	pthread_create(&worker, NULL, run, NULL);
	request_stop();
	pthread_join(worker, NULL);
	printf("stopped\n");
	return 0;
}
/*
 * expect: race A C class spec-violated
 * expect: race B C class harmless reason user-synchronisation|both-values-valid
 * why: if C comes before A the worker loops for ever; B only reads again what it will see.
 */
