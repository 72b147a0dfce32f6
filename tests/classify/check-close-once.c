/*
 * A connection that several workers close when they see an error: whoever comes first closes it, and to save the
 * lock a worker looks first whether that was done.
 */
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 3 };

struct connection {
	pthread_mutex_t lock;
	volatile int is_closed;
	int close_calls; /* under the lock */
};

static struct connection connection = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void connection_close(struct connection *self)
{
	if (self->is_closed) /*A*/
		return;
	pthread_mutex_lock(&self->lock);
	if (!self->is_closed) {
		self->close_calls++;
		self->is_closed = 1; /*B*/
	}
	pthread_mutex_unlock(&self->lock);
}

static void *work(void *argument)
{
	const int *length = argument;
	if (*length < 0)
		connection_close(&connection);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];
	int lengths[WORKERS] = { -1, 12, -5 };
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, &lengths[i]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("closed %d time\n", connection.close_calls);
	return connection.close_calls == 1 ? 0 : 1;
}
/*
 * expect: race A B class harmless reason double-check
 * why: a worker that reads the old value tests again under the lock.
 */
