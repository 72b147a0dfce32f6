/*
 * "if" round a condition wait: another thread was faster.
 *
 * A consumer that is woken does not look again whether there is something. Between the signal and its wake-up another
 * consumer, that never slept, may take the only item; the woken one then takes from an empty queue. A general
 * mechanism, and half of Apache bug 45605.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { CONSUMERS = 2, ROOM = 4 };

struct queue {
	pthread_mutex_t lock; /* guards the rest */
	pthread_cond_t not_empty;
	int items[ROOM];
	int count;
};

static struct queue queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER };

static void push(struct queue *to, int item)
{
	pthread_mutex_lock(&to->lock);
	to->items[to->count++] = item;
	pthread_cond_signal(&to->not_empty);
	pthread_mutex_unlock(&to->lock);
}

static int pop(struct queue *from)
{
	pthread_mutex_lock(&from->lock);
#ifdef FIXED
	while (from->count == 0)
#else
	if (from->count == 0)
#endif
		pthread_cond_wait(&from->not_empty, &from->lock);
	assert(from->count > 0);
	int item = from->items[--from->count];
	pthread_mutex_unlock(&from->lock);
	return item;
}

static void *consume(void *argument)
{
	*(int *)argument = pop(&queue);
	return NULL;
}

int main(void)
{
	pthread_t threads[CONSUMERS];
	int taken[CONSUMERS];
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&threads[i], NULL, consume, &taken[i]);
	push(&queue, 1);
	push(&queue, 2);
	int sum = 0;
	for (int i = 0; i < CONSUMERS; i++) {
		pthread_join(threads[i], NULL);
		sum += taken[i];
	}
	printf("sum %d\n", sum);
	return 0;
}
/*
 * pattern: condition
 * finds: assertion
 * source: general; Apache 45605
 */
