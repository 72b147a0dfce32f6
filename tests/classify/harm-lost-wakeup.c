/*
 * A flag that a waiter tests under the lock is set without it: the signal may come between the test and the wait.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static volatile int is_queued;
static int done;

static void *submit(void *unused)
{
	is_queued = 1; /*A*/
	pthread_cond_signal(&has_work);
	return unused;
}

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!is_queued) /*B*/
		pthread_cond_wait(&has_work, &lock);
	done++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t worker, submitter;
	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&submitter, NULL, submit, NULL);
	pthread_join(submitter, NULL);
	pthread_join(worker, NULL);
	printf("done %d\n", done);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * why: if the worker reads 0 and the flag is set and signalled before it waits, it waits for ever.
 */
