/* An error-checking mutex: EDEADLK for locking it twice, EPERM for unlocking what another holds or nobody. */
#include "check.h"

static pthread_mutex_t mutex;

static void *stranger(void *argument)
{
	(void)argument;
	CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
	return (void *)(long)pthread_mutex_unlock(&mutex);
}

int main(void)
{
	pthread_mutexattr_t attributes;
	int type = 0;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	CHECK(pthread_mutexattr_gettype(&attributes, &type) == 0 && type == PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &attributes);
	printf("unlocked: %s\n", strerrorname_np(pthread_mutex_unlock(&mutex)));
	CHECK(pthread_mutex_lock(&mutex) == 0);
	printf("twice: %s\n", strerrorname_np(pthread_mutex_lock(&mutex)));
	struct timespec at = after_ms(CLOCK_REALTIME, 1000);
	printf("twice, timed: %s\n", strerrorname_np(pthread_mutex_timedlock(&mutex, &at)));
	printf("stranger: %s\n", strerrorname_np((int)(long)finish(start(stranger, NULL))));
	CHECK(pthread_mutex_destroy(&mutex) == EBUSY);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_destroy(&mutex) == 0);
	return 0;
}
/*
 * expect: unlocked: EPERM
 * expect: twice: EDEADLK
 * expect: twice, timed: EDEADLK
 * expect: stranger: EPERM
 */
