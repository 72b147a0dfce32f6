/*
 * Apache 45605: the count of idle workers falls below zero and the queue overflows.
 *
 * A worker of the worker MPM adds itself to the idle workers and then wakes the listener if there were none. In
 * between the listener may see it, take it, find no more and sleep; the wakeup comes then, for a worker that is taken
 * already. The listener does not look again, takes a worker that is not there, and the unsigned count wraps: from now
 * on it never waits, until the assertion in the push. Frost (SOSP 2011), section 4.1.2 and Table 2.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { WORKERS = 2, CONNECTIONS = 6 };

static struct {
	atomic_uint idlers;
	pthread_mutex_t lock;
	pthread_cond_t wait_for_idler;
} info = { .lock = PTHREAD_MUTEX_INITIALIZER, .wait_for_idler = PTHREAD_COND_INITIALIZER };

static struct {
	int connections[WORKERS];
	unsigned in, count;
	bool is_terminated;
	pthread_mutex_t lock;
	pthread_cond_t not_empty;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER };

static atomic_int served;

static void set_idle(void)
{
	if (atomic_fetch_add(&info.idlers, 1) == 0) {
		pthread_mutex_lock(&info.lock);
		pthread_cond_signal(&info.wait_for_idler);
		pthread_mutex_unlock(&info.lock);
	}
}

static void wait_for_idler(void)
{
	if (atomic_load(&info.idlers) == 0) {
		pthread_mutex_lock(&info.lock);
#ifdef FIXED
		while (atomic_load(&info.idlers) == 0)
#else
		if (atomic_load(&info.idlers) == 0)
#endif
			pthread_cond_wait(&info.wait_for_idler, &info.lock);
		pthread_mutex_unlock(&info.lock);
	}
	atomic_fetch_sub(&info.idlers, 1);
}

static void queue_push(int connection)
{
	pthread_mutex_lock(&queue.lock);
	assert(queue.count < WORKERS);
	queue.connections[queue.in] = connection;
	queue.in = (queue.in + 1) % WORKERS;
	queue.count++;
	pthread_cond_signal(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
}

static int queue_pop(void)
{
	int connection = 0;
	pthread_mutex_lock(&queue.lock);
	while (queue.count == 0 && !queue.is_terminated)
		pthread_cond_wait(&queue.not_empty, &queue.lock);
	if (queue.count > 0) {
		connection = queue.connections[(queue.in + WORKERS - queue.count) % WORKERS];
		queue.count--;
	}
	pthread_mutex_unlock(&queue.lock);
	return connection;
}

static void *worker(void *argument)
{
	(void)argument;
	for (;;) {
		set_idle();
		int connection = queue_pop();
		if (connection == 0)
			return NULL;
		atomic_fetch_add(&served, connection);
	}
}

static void *listener(void *argument)
{
	(void)argument;
	for (int connection = 1; connection <= CONNECTIONS; connection++) {
		wait_for_idler();
		queue_push(connection);
	}
	pthread_mutex_lock(&queue.lock);
	queue.is_terminated = true;
	pthread_cond_broadcast(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS + 1];
	for (int i = 0; i < WORKERS + 1; i++)
		pthread_create(&threads[i], NULL, i < WORKERS ? worker : listener, NULL);
	for (int i = 0; i < WORKERS + 1; i++)
		pthread_join(threads[i], NULL);
	printf("served %d\n", atomic_load(&served));
	return 0;
}
/*
 * pattern: multi-variable
 * finds: assertion
 * source: Frost table 2; Apache 45605
 */
