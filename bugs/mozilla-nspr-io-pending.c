/*
 * Mozilla's NSPR: the end of an operation is noted before its beginning.
 *
 * A thread starts an asynchronous read, marks the operation as pending and waits until the completion routine, which
 * runs in another thread, has unmarked it. When the routine is fast enough it unmarks first, the mark comes after, and
 * the wait has no end. Described by Lu and others in their study (ASPLOS 2008, the write-write order violation);
 * Anticipating Invariants, table 1 and figure 12, W-W order.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct operation {
	pthread_mutex_t lock; /* guards pending and length */
	pthread_cond_t done;
	int pending;
	int length;
	char buffer[16];
	pthread_t device;
};

static void *complete(void *argument)
{
	struct operation *operation = argument;
	strcpy(operation->buffer, "contents");
	pthread_mutex_lock(&operation->lock);
	operation->length = 8;
	operation->pending = 0;
	pthread_cond_signal(&operation->done);
	pthread_mutex_unlock(&operation->lock);
	return NULL;
}

static void mark_pending(struct operation *operation)
{
	pthread_mutex_lock(&operation->lock);
	operation->pending = 1;
	pthread_mutex_unlock(&operation->lock);
}

static int read_and_wait(struct operation *operation)
{
#ifdef FIXED
	mark_pending(operation);
	pthread_create(&operation->device, NULL, complete, operation);
#else
	pthread_create(&operation->device, NULL, complete, operation);
	mark_pending(operation);
#endif
	pthread_mutex_lock(&operation->lock);
	while (operation->pending)
		pthread_cond_wait(&operation->done, &operation->lock);
	int length = operation->length;
	pthread_mutex_unlock(&operation->lock);
	pthread_join(operation->device, NULL);
	return length;
}

int main(void)
{
	static struct operation operation = { .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER };
	int length = read_and_wait(&operation);
	printf("%d bytes: %s\n", length, operation.buffer);
	return 0;
}
/*
 * pattern: order
 * finds: deadlock
 * source: Lu and others (ASPLOS 2008); Anticipating Invariants table 1, W-W order and figure 12
 */
