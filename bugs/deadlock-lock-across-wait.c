/*
 * A lock is kept through a condition wait, and whoever would signal needs it.
 *
 * Waiting on a condition lets go of one lock only. The reader of a log holds the lock of the log when it waits in the
 * queue for a message; the writer must write a note into the log before it puts its message into the queue. If the
 * reader comes first both wait. A general mechanism: no two locks are in two orders, so a look at the locks alone does
 * not show it.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER; /* guards notes */
static int notes;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER; /* guards message; taken inside of log_lock or alone */
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static int message;

static void note(void)
{
	pthread_mutex_lock(&log_lock);
	notes++;
	pthread_mutex_unlock(&log_lock);
}

static int queue_get(void)
{
	pthread_mutex_lock(&queue_lock);
	while (!message)
		pthread_cond_wait(&queue_filled, &queue_lock);
	int got = message;
	pthread_mutex_unlock(&queue_lock);
	return got;
}

static void *write_message(void *argument)
{
	note();
	pthread_mutex_lock(&queue_lock);
	message = *(int *)argument;
	pthread_cond_signal(&queue_filled);
	pthread_mutex_unlock(&queue_lock);
	return NULL;
}

static void *read_message(void *argument)
{
#ifdef FIXED
	int got = queue_get();
	pthread_mutex_lock(&log_lock);
#else
	pthread_mutex_lock(&log_lock);
	int got = queue_get();
#endif
	notes++;
	pthread_mutex_unlock(&log_lock);
	*(int *)argument = got;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int value = 7, got = 0;
	pthread_create(&threads[0], NULL, write_message, &value);
	pthread_create(&threads[1], NULL, read_message, &got);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("message %d, %d notes\n", got, notes);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock
 * source: general
 */
