/*
 * One signal, two kinds of waiters: the wrong one wakes.
 *
 * Producers wait for room and consumers for goods, on one condition variable, and whoever changes something wakes one
 * thread. With two consumers a consumer can wake the other consumer instead of the producer: that one finds nothing,
 * sleeps again, and the signal is used up. All wait. The known mistake with bounded buffers; needs broadcast, or a
 * condition for each kind.
 */
#include <pthread.h>
#include <stdio.h>

enum { CONSUMERS = 2, ITEMS = 2 };

struct buffer {
	pthread_mutex_t lock; /* guards the rest */
	pthread_cond_t changed;
	int full;
	int item;
};

static struct buffer buffer = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void tell(struct buffer *of)
{
#ifdef FIXED
	pthread_cond_broadcast(&of->changed);
#else
	pthread_cond_signal(&of->changed);
#endif
}

static void put(struct buffer *into, int item)
{
	pthread_mutex_lock(&into->lock);
	while (into->full)
		pthread_cond_wait(&into->changed, &into->lock);
	into->item = item;
	into->full = 1;
	tell(into);
	pthread_mutex_unlock(&into->lock);
}

static int take(struct buffer *from)
{
	pthread_mutex_lock(&from->lock);
	while (!from->full)
		pthread_cond_wait(&from->changed, &from->lock);
	int item = from->item;
	from->full = 0;
	tell(from);
	pthread_mutex_unlock(&from->lock);
	return item;
}

static void *consume(void *argument)
{
	int *sum = argument;
	for (int i = 0; i < ITEMS; i++)
		*sum += take(&buffer);
	return NULL;
}

int main(void)
{
	pthread_t threads[CONSUMERS];
	int sums[CONSUMERS] = { 0 };
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&threads[i], NULL, consume, &sums[i]);
	for (int i = 0; i < CONSUMERS * ITEMS; i++)
		put(&buffer, 10 + i);
	int total = 0;
	for (int i = 0; i < CONSUMERS; i++) {
		pthread_join(threads[i], NULL);
		total += sums[i];
	}
	printf("total %d\n", total);
	return 0;
}
/*
 * pattern: lost-wakeup
 * finds: deadlock
 * source: general
 */
