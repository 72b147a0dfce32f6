/*
 * Whoever waits for a completion frees it, while the one who completed it is still at it.
 *
 * complete() sets the flag under the lock, unlocks and then counts the completion in the object's statistics. The
 * waiter may see the flag at once without having slept; it thinks that nobody else knows the object any more and frees
 * it. The same inside of the thread library is glibc bug 13690 (a mutex) and 12674 (a semaphore).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct statistics {
	pthread_mutex_t lock; /* guards completed */
	int completed;
};

struct completion {
	struct statistics *statistics;
	pthread_mutex_t lock; /* guards is_done */
	pthread_cond_t done;
	int is_done;
};

static struct statistics statistics = { PTHREAD_MUTEX_INITIALIZER, 0 };

/* Out of line, so that the compiler does not drop the last writes to what is freed. */
static void __attribute__((noinline)) memory_free(void *block)
{
	free(block);
}

static struct completion *completion_new(void)
{
	struct completion *completion = malloc(sizeof(*completion));
	completion->statistics = &statistics;
	completion->is_done = 0;
	pthread_mutex_init(&completion->lock, NULL);
	pthread_cond_init(&completion->done, NULL);
	return completion;
}

static void count(struct statistics *in)
{
	pthread_mutex_lock(&in->lock);
	in->completed++;
	pthread_mutex_unlock(&in->lock);
}

static void complete(struct completion *completion)
{
#ifdef FIXED
	count(completion->statistics);
#endif
	pthread_mutex_lock(&completion->lock);
	completion->is_done = 1;
	pthread_cond_signal(&completion->done);
	pthread_mutex_unlock(&completion->lock);
#ifndef FIXED
	count(completion->statistics); /*A*/
#endif
}

static void wait_and_free(struct completion *completion)
{
	pthread_mutex_lock(&completion->lock);
	while (!completion->is_done)
		pthread_cond_wait(&completion->done, &completion->lock);
	pthread_mutex_unlock(&completion->lock);
	pthread_cond_destroy(&completion->done);
	pthread_mutex_destroy(&completion->lock);
	completion->statistics = NULL; /*B*/
	memory_free(completion);
}

static void *work(void *argument)
{
	complete(argument);
	return NULL;
}

int main(void)
{
	struct completion *completion = completion_new();
	pthread_t thread;
	pthread_create(&thread, NULL, work, completion);
	wait_and_free(completion);
	pthread_join(thread, NULL);
	printf("%d completed\n", statistics.completed);
	return 0;
}
/*
 * pattern: order
 * finds: crash data-race memory-error
 * race: A B
 * source: general; glibc bugs 13690 and 12674
 */
