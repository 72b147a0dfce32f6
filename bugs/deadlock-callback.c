/*
 * A callback is called under the lock that it takes itself.
 *
 * on_ready() registers a callback, which is called later by the thread that makes the value, without the lock. When the
 * value is there already on_ready() calls it at once, and still holds the lock; the callback asks for the value and
 * locks again. One thread is enough to deadlock, but only another one that was fast brings it about. A general
 * mechanism of futures and event loops.
 */
#include <pthread.h>
#include <stdio.h>

typedef void (*callback)(void *argument);

struct future {
	pthread_mutex_t lock; /* guards the rest */
	int is_ready;
	int value;
	callback call;
	void *argument;
};

struct waiter {
	struct future *future;
	int got;
};

static int future_get(struct future *future)
{
	pthread_mutex_lock(&future->lock);
	int value = future->value;
	pthread_mutex_unlock(&future->lock);
	return value;
}

static void on_ready(struct future *future, callback call, void *argument)
{
	pthread_mutex_lock(&future->lock);
	int is_ready = future->is_ready;
	if (!is_ready) {
		future->call = call;
		future->argument = argument;
	}
#ifdef FIXED
	pthread_mutex_unlock(&future->lock);
	if (is_ready)
		call(argument);
#else
	if (is_ready)
		call(argument);
	pthread_mutex_unlock(&future->lock);
#endif
}

static void *produce(void *argument)
{
	struct future *future = argument;
	pthread_mutex_lock(&future->lock);
	future->value = 12;
	future->is_ready = 1;
	callback call = future->call;
	void *of_call = future->argument;
	pthread_mutex_unlock(&future->lock);
	if (call)
		call(of_call);
	return NULL;
}

static void print_later(void *argument)
{
	struct waiter *waiter = argument;
	waiter->got = future_get(waiter->future);
}

int main(void)
{
	struct future future = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct waiter waiter = { &future, 0 };
	pthread_t producer;
	pthread_create(&producer, NULL, produce, &future);
	on_ready(&future, print_later, &waiter);
	pthread_join(producer, NULL);
	printf("got %d\n", waiter.got);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock
 * source: general
 */
