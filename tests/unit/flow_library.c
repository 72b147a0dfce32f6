/* Without main: whoever uses it may call any of these, in any thread. */
#include <pthread.h>

struct counter {
	pthread_mutex_t lock;
	volatile long locked, open;
};

void counter_add(struct counter *counter, long amount);

static void add(struct counter *counter, long amount)
{
	counter->locked = amount;
}

void counter_add(struct counter *counter, long amount)
{
	pthread_mutex_lock(&counter->lock);
	add(counter, amount);
	pthread_mutex_unlock(&counter->lock);
	counter->open = amount;
}
