/*
 * Two counters that must add up, and a third thread that adds them up at the wrong moment.
 *
 * Money, or blocks in use and blocks free: each counter has a lock of its own and every access is locked. A transfer
 * changes one and then the other; a check that sums both in between misses what is on its way. No data race. The
 * textbook case of an atomicity violation over two variables (Lu and others, ASPLOS 2008).
 */
#include <pthread.h>
#include <stdio.h>

enum { BLOCKS = 10 };

struct counter {
	pthread_mutex_t lock; /* guards value; the lock of free_blocks nests in that of used_blocks */
	int value;
};

static struct counter used_blocks = { PTHREAD_MUTEX_INITIALIZER, 0 };
static struct counter free_blocks = { PTHREAD_MUTEX_INITIALIZER, BLOCKS };

static void counter_add(struct counter *counter, int change)
{
	pthread_mutex_lock(&counter->lock);
	counter->value += change;
	pthread_mutex_unlock(&counter->lock);
}

static int counter_get(struct counter *counter)
{
	pthread_mutex_lock(&counter->lock);
	int value = counter->value;
	pthread_mutex_unlock(&counter->lock);
	return value;
}

static void allocate(int count)
{
#ifdef FIXED
	pthread_mutex_lock(&used_blocks.lock);
	counter_add(&free_blocks, -count);
	used_blocks.value += count;
	pthread_mutex_unlock(&used_blocks.lock);
#else
	counter_add(&free_blocks, -count);
	counter_add(&used_blocks, count);
#endif
}

static int sum_up(void)
{
#ifdef FIXED
	pthread_mutex_lock(&used_blocks.lock);
	int sum = used_blocks.value + counter_get(&free_blocks);
	pthread_mutex_unlock(&used_blocks.lock);
	return sum;
#else
	return counter_get(&used_blocks) + counter_get(&free_blocks);
#endif
}

static void *user(void *argument)
{
	(void)argument;
	allocate(2);
	allocate(3);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, user, NULL);
	int sum = sum_up();
	pthread_join(thread, NULL);
	printf("%d of %d blocks\n", sum, BLOCKS);
	return sum != BLOCKS;
}
/*
 * pattern: multi-variable
 * finds: bad-exit output-differs
 * source: general; Lu and others (ASPLOS 2008)
 */
