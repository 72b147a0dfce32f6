/* A plain mutex locked twice by its owner. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex);
	return argument;
}

int main(void)
{
	CHECK(write(1, "before\n", 7) == 7);
	finish(start(work, NULL));
	return 0;
}
/*
 * expect: before
 * ends: deadlock
 * report: ^heddle:   thread 2 .*waits for mutex mutex, held by itself, thread 2$
 * report: ^heddle:     at work \(.*deadlock-self\.c:9\)
 */
