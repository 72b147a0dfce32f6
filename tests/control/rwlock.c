/* A read-write lock: writers alone, readers together, and readers see whole writes. */
#include "check.h"
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int low, high, torn;
static atomic_int readers, writers;

static void *reads(void *argument)
{
	for (int i = 0; i < 40; i++) {
		CHECK(pthread_rwlock_rdlock(&lock) == 0);
		atomic_fetch_add(&readers, 1);
		CHECK(writers == 0);
		if (low != high)
			torn++;
		if (i % 8 == 0)
			sched_yield();
		atomic_fetch_sub(&readers, 1);
		CHECK(pthread_rwlock_unlock(&lock) == 0);
	}
	return argument;
}

static void *writes(void *argument)
{
	for (int i = 0; i < 40; i++) {
		CHECK(pthread_rwlock_wrlock(&lock) == 0);
		CHECK(atomic_fetch_add(&writers, 1) == 0 && readers == 0);
		low++;
		if (i % 8 == 0)
			sched_yield();
		high++;
		atomic_fetch_sub(&writers, 1);
		CHECK(pthread_rwlock_unlock(&lock) == 0);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[5];
	for (int i = 0; i < 5; i++)
		threads[i] = start(i < 3 ? reads : writes, NULL);
	for (int i = 0; i < 5; i++)
		finish(threads[i]);
	CHECK(pthread_rwlock_destroy(&lock) == 0);
	printf("low %d high %d torn %d\n", low, high, torn);
	return 0;
}
/*
 * expect: low 80 high 80 torn 0
 */
