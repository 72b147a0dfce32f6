/*
 * Three threads, three locks, a ring.
 *
 * Each stage of a pipeline locks its own buffer and then the next one's to hand its item on; the last hands on to the
 * first. No two of them disagree about an order, the three together do. All three must have taken their first lock for
 * the ring to close. The philosophers of Dijkstra, as a pipeline.
 */
#include <pthread.h>
#include <stdio.h>

enum { STAGES = 3 };

struct stage {
	pthread_mutex_t lock; /* guards items; in the fixed one those of lower stages are taken first */
	int items;
};

static struct stage stages[STAGES] = { { PTHREAD_MUTEX_INITIALIZER, 1 },
				       { PTHREAD_MUTEX_INITIALIZER, 1 },
				       { PTHREAD_MUTEX_INITIALIZER, 1 } };

static void *hand_on(void *argument)
{
	struct stage *own = argument;
	struct stage *next = &stages[(own - stages + 1) % STAGES];
	struct stage *first = own, *second = next;
#ifdef FIXED
	if (next < own) {
		first = next;
		second = own;
	}
#endif
	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock);
	own->items--;
	next->items++;
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[STAGES];
	for (int i = 0; i < STAGES; i++)
		pthread_create(&threads[i], NULL, hand_on, &stages[i]);
	int total = 0;
	for (int i = 0; i < STAGES; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < STAGES; i++)
		total += stages[i].items;
	printf("%d items\n", total);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock lock-order
 * source: general
 */
