/*
 * Mozilla bug 622691 (and 52111, 73761): a guard is lowered for a moment.
 *
 * Table 1 of Anticipating Invariants has these under W-W|R: two writes of one thread with a read of another between
 * them. The table tells no more, so the code is ours: a thread turns a "collector may run" flag off round a change that
 * must not be collected, another asks the flag whether its own garbage has to be swept now, and as the flag says no,
 * leaves it for ever.
 */
#include <pthread.h>
#include <stdio.h>

enum { OBJECTS = 4 };

struct heap {
	pthread_mutex_t lock; /* guards live */
	int may_collect;
	int live;
};

static struct heap heap = { PTHREAD_MUTEX_INITIALIZER, 1, 0 };

/* Makes objects that are not yet reachable and must not be swept before they are. */
static void *make_objects(void *argument)
{
	(void)argument;
#ifdef FIXED
	pthread_mutex_lock(&heap.lock);
#endif
	heap.may_collect = 0; /*A*/
	for (int i = 0; i < OBJECTS; i++) {
#ifndef FIXED
		pthread_mutex_lock(&heap.lock);
#endif
		heap.live++;
#ifndef FIXED
		pthread_mutex_unlock(&heap.lock);
#endif
	}
	heap.may_collect = 1;
#ifdef FIXED
	pthread_mutex_unlock(&heap.lock);
#endif
	return NULL;
}

static void *drop_garbage(void *argument)
{
	int garbage = *(int *)argument;
#ifdef FIXED
	pthread_mutex_lock(&heap.lock);
#endif
	if (heap.may_collect) { /*B*/
#ifndef FIXED
		pthread_mutex_lock(&heap.lock);
#endif
		heap.live -= garbage;
#ifndef FIXED
		pthread_mutex_unlock(&heap.lock);
#endif
	}
#ifdef FIXED
	pthread_mutex_unlock(&heap.lock);
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int garbage = 3;
	heap.live = garbage;
	pthread_create(&threads[0], NULL, make_objects, NULL);
	pthread_create(&threads[1], NULL, drop_garbage, &garbage);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d objects live\n", heap.live);
	return heap.live != OBJECTS;
}
/*
 * pattern: WRW
 * finds: bad-exit data-race output-differs
 * race: A B
 * source: Anticipating Invariants table 1, W-W|R; Mozilla 622691, 52111, 73761 (code ours)
 */
