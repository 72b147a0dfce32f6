/* A lost wake-up: the waiter looks at the flag without the mutex, so the signal can come before it waits. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static volatile int is_ready;

static void *waits(void *argument)
{
	if (!is_ready) {
		pthread_mutex_lock(&mutex);
		pthread_cond_wait(&cond, &mutex);
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}

static void *signals(void *argument)
{
	is_ready = 1;
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return argument;
}

int main(void)
{
	pthread_t a = start(waits, NULL), b = start(signals, NULL);
	finish(a);
	finish(b);
	return 0;
}
/*
 * ends: exit 0 or deadlock
 * seen: exit 0
 * report: ^heddle:   thread 2 .*waits for condition variable cond$
 */
