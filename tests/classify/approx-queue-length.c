/*
 * A dispatcher sends a job to the queue that looks shorter. The lengths are estimates that are read and updated
 * without a lock; the queues themselves are locked, and every job is done whichever queue it is in.
 */
#include <pthread.h>
#include <stdio.h>

enum { QUEUES = 2, DISPATCHERS = 2, JOBS = 2 };

struct queue {
	pthread_mutex_t lock;
	int sum;
	volatile int length; /* an estimate */
};

static struct queue queues[QUEUES] = { { .lock = PTHREAD_MUTEX_INITIALIZER }, { .lock = PTHREAD_MUTEX_INITIALIZER } };

static struct queue *shorter_queue(void)
{
	return &queues[queues[0].length > queues[1].length]; /*A*/
}

static void submit(int job)
{
	struct queue *queue = shorter_queue();
	pthread_mutex_lock(&queue->lock);
	queue->sum += job;
	pthread_mutex_unlock(&queue->lock);
	queue->length++; /*B*/
}

static void *dispatch(void *argument)
{
	int first = *(int *)argument;
	for (int i = 0; i < JOBS; i++)
		submit(first + i);
	return NULL;
}

int main(void)
{
	pthread_t threads[DISPATCHERS];
	int firsts[DISPATCHERS] = { 10, 20 };
	for (int i = 0; i < DISPATCHERS; i++)
		pthread_create(&threads[i], NULL, dispatch, &firsts[i]);
	for (int i = 0; i < DISPATCHERS; i++)
		pthread_join(threads[i], NULL);
	printf("sum %d\n", queues[0].sum + queues[1].sum);
	return 0;
}
/*
 * expect: race A B class harmless reason approximate|both-values-valid
 * expect: race B B class harmless reason approximate
 * why: a wrong estimate sends a job to the longer queue, where it is done as well.
 */
