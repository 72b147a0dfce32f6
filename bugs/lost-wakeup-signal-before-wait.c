/*
 * A signal that nobody waits for yet.
 *
 * The consumer looks whether there is work, finds none, lets go of the lock to prepare itself, and waits without
 * looking again. The producer's signal falls into the gap; condition variables do not remember signals, and the
 * consumer waits for ever. A general mechanism.
 */
#include <pthread.h>
#include <stdio.h>

struct mailbox {
	pthread_mutex_t lock; /* guards letter */
	pthread_cond_t arrived;
	int letter;
	int table_laid; /* the reader's own */
};

static struct mailbox mailbox = { .lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER };

static void *post(void *argument)
{
	pthread_mutex_lock(&mailbox.lock);
	mailbox.letter = *(int *)argument;
	pthread_cond_signal(&mailbox.arrived);
	pthread_mutex_unlock(&mailbox.lock);
	return NULL;
}

static int is_empty(void)
{
	pthread_mutex_lock(&mailbox.lock);
	int empty = mailbox.letter == 0;
	pthread_mutex_unlock(&mailbox.lock);
	return empty;
}

static int receive(void)
{
	int empty = is_empty();
	mailbox.table_laid = 1;
	pthread_mutex_lock(&mailbox.lock);
#ifdef FIXED
	(void)empty;
	while (mailbox.letter == 0)
		pthread_cond_wait(&mailbox.arrived, &mailbox.lock);
#else
	if (empty)
		pthread_cond_wait(&mailbox.arrived, &mailbox.lock);
#endif
	int letter = mailbox.letter;
	pthread_mutex_unlock(&mailbox.lock);
	return letter;
}

int main(void)
{
	pthread_t postman;
	int letter = 42;
	pthread_create(&postman, NULL, post, &letter);
	int received = receive();
	pthread_join(postman, NULL);
	printf("letter %d\n", received);
	return 0;
}
/*
 * pattern: lost-wakeup
 * finds: deadlock
 * source: general
 */
