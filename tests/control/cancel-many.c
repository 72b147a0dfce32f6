/* Fifty threads waiting in a condition variable are cancelled one after the other; the rest are woken. */
#include "check.h"

#define COUNT 50
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, is_over, woken;

static void unlock(void *argument)
{
	(void)argument;
	waiting--;
	pthread_mutex_unlock(&mutex);
}

static void *work(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	waiting++;
	while (!is_over)
		pthread_cond_wait(&cond, &mutex);
	woken++;
	pthread_cleanup_pop(1);
	return NULL;
}

int main(void)
{
	pthread_t threads[COUNT];
	for (int i = 0; i < COUNT; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < COUNT; i += 2)
		CHECK(pthread_cancel(threads[i]) == 0);
	int cancelled = 0;
	for (int i = 0; i < COUNT; i += 2)
		cancelled += finish(threads[i]) == PTHREAD_CANCELED;
	pthread_mutex_lock(&mutex);
	is_over = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	for (int i = 1; i < COUNT; i += 2)
		finish(threads[i]);
	printf("cancelled %d woken %d waiting %d\n", cancelled, woken, waiting);
	return 0;
}
/*
 * expect: cancelled 25 woken 25 waiting 0
 */
