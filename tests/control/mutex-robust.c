/* Robust mutexes whose owner ends: the next one is told, makes it consistent, or leaves it not recoverable. */
#include "check.h"

static pthread_mutex_t first, second;

static void *dies(void *argument)
{
	CHECK(pthread_mutex_lock(&first) == 0);
	CHECK(pthread_mutex_lock(&second) == 0);
	return argument;
}

static void *waits(void *argument)
{
	return (void *)(long)pthread_mutex_lock(argument);
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
	pthread_mutex_init(&first, &attributes);
	pthread_mutex_init(&second, &attributes);
	finish(start(dies, NULL));
	int error = pthread_mutex_lock(&first);
	printf("first: %s\n", strerrorname_np(error));
	CHECK(pthread_mutex_consistent(&first) == 0);
	CHECK(pthread_mutex_consistent(&first) == EINVAL);
	CHECK(pthread_mutex_unlock(&first) == 0);
	CHECK(pthread_mutex_lock(&first) == 0 && pthread_mutex_unlock(&first) == 0);

	printf("second: %s\n", strerrorname_np(pthread_mutex_trylock(&second)));
	/* Not made consistent: whoever waits and whoever comes gets ENOTRECOVERABLE. */
	pthread_t thread = start(waits, &second);
	usleep(1000);
	CHECK(pthread_mutex_unlock(&second) == 0);
	printf("waiting: %s\n", strerrorname_np((int)(long)finish(thread)));
	printf("later: %s\n", strerrorname_np(pthread_mutex_lock(&second)));
	CHECK(pthread_mutex_destroy(&second) == 0);
	return 0;
}
/*
 * expect: first: EOWNERDEAD
 * expect: second: EOWNERDEAD
 * expect: waiting: ENOTRECOVERABLE
 * expect: later: ENOTRECOVERABLE
 */
