/*
 * A rate is computed from an interval that another thread resets to zero when it starts a new period.
 */
#include <pthread.h>
#include <stdio.h>

static volatile int interval_ms = 50;
static volatile int bytes = 1000;
static pthread_mutex_t totals_lock = PTHREAD_MUTEX_INITIALIZER;
static int periods; /* under the lock */

static void *start_period(void *unused)
{
	interval_ms = 0; /*A*/
	pthread_mutex_lock(&totals_lock);
	periods++;
	pthread_mutex_unlock(&totals_lock);
	interval_ms = 50; /*B*/
	return unused;
}

static void *report(void *argument)
{
	int *rate = argument;
	*rate = bytes / interval_ms; /*C*/
	return NULL;
}

int main(void)
{
	pthread_t starter, reporter;
	int rate;
	pthread_create(&reporter, NULL, report, &rate);
	pthread_create(&starter, NULL, start_period, NULL);
	pthread_join(reporter, NULL);
	pthread_join(starter, NULL);
	printf("rate %d\n", rate);
	return 0;
}
/*
 * expect: race A C class spec-violated
 * expect: race B C class spec-violated
 * why: a report between A and B divides by zero, and both orders matter for that.
 */
