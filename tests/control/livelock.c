/* Two threads that each take one lock, try the other, and back off, for ever in the unlucky schedule. */
#include "check.h"
#include <stdatomic.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int never;

static void *work(void *argument)
{
	pthread_mutex_t *first = argument ? &a : &b, *second = argument ? &b : &a;
	while (!never) {
		pthread_mutex_lock(first);
		if (pthread_mutex_trylock(second) == 0)
			pthread_mutex_unlock(second);
		pthread_mutex_unlock(first);
		sched_yield();
	}
	return NULL;
}

int main(void)
{
	CHECK(write(1, "before\n", 7) == 7);
	pthread_t x = start(work, NULL), y = start(work, &x);
	finish(x);
	finish(y);
	return 0;
}
/*
 * expect: before
 * budget: 100000
 * ends: livelock
 * report: ^heddle:   thread 2 
 * report: ^heddle:     at work \(.*livelock\.c:
 */
