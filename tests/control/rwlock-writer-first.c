/* A read-write lock that prefers writers: while one waits, new readers wait too. */
#include "check.h"
#include <semaphore.h>

static pthread_rwlock_t lock;
static int value;

static void *writes(void *argument)
{
	CHECK(pthread_rwlock_wrlock(&lock) == 0);
	value = 1;
	CHECK(pthread_rwlock_unlock(&lock) == 0);
	return argument;
}

static void *tries(void *argument)
{
	(void)argument;
	/* In the end a writer waits and this one is refused. */
	while (pthread_rwlock_tryrdlock(&lock) == 0) {
		CHECK(pthread_rwlock_unlock(&lock) == 0);
		usleep(100);
	}
	return NULL;
}

int main(void)
{
	pthread_rwlockattr_t attributes;
	pthread_rwlockattr_init(&attributes);
	CHECK(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
	pthread_rwlock_init(&lock, &attributes);
	CHECK(pthread_rwlock_rdlock(&lock) == 0);
	pthread_t writer = start(writes, NULL), reader = start(tries, NULL);
	finish(reader);
	printf("before %d\n", value);
	CHECK(pthread_rwlock_unlock(&lock) == 0);
	finish(writer);
	printf("after %d\n", value);
	return 0;
}
/*
 * expect: before 0
 * expect: after 1
 */
