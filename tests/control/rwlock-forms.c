/* Every form of taking a read-write lock: try, timed, clock, for reading and writing, and the answers when it is held. */
#include "check.h"

static pthread_rwlock_t lock;
static char answers[200];

static void answer(const char *what, int error)
{
	strcat(answers, what);
	strcat(answers, error ? strerrorname_np(error) : "ok");
	strcat(answers, "\n");
	if (error == 0)
		CHECK(pthread_rwlock_unlock(&lock) == 0);
}

static void *asks(void *argument)
{
	(void)argument;
	answers[0] = 0;
	struct timespec at;
	answer("tryrdlock ", pthread_rwlock_tryrdlock(&lock));
	answer("trywrlock ", pthread_rwlock_trywrlock(&lock));
	at = after_ms(CLOCK_REALTIME, 5);
	answer("timedrdlock ", pthread_rwlock_timedrdlock(&lock, &at));
	at = after_ms(CLOCK_REALTIME, 5);
	answer("timedwrlock ", pthread_rwlock_timedwrlock(&lock, &at));
	at = after_ms(CLOCK_MONOTONIC, 5);
	answer("clockrdlock ", pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &at));
	at = after_ms(CLOCK_MONOTONIC, 5);
	answer("clockwrlock ", pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &at));
	return NULL;
}

int main(void)
{
	CHECK(pthread_rwlock_init(&lock, NULL) == 0);
	finish(start(asks, NULL));
	printf("free:\n%s", answers);
	CHECK(pthread_rwlock_rdlock(&lock) == 0);
	finish(start(asks, NULL));
	printf("read:\n%s", answers);
	CHECK(pthread_rwlock_unlock(&lock) == 0);
	CHECK(pthread_rwlock_wrlock(&lock) == 0);
	finish(start(asks, NULL));
	printf("written:\n%s", answers);
	CHECK(pthread_rwlock_rdlock(&lock) == EDEADLK);
	CHECK(pthread_rwlock_wrlock(&lock) == EDEADLK);
	CHECK(pthread_rwlock_unlock(&lock) == 0);
	CHECK(pthread_rwlock_destroy(&lock) == 0);
	return 0;
}
/*
 * expect: free:
 * expect: tryrdlock ok
 * expect: trywrlock ok
 * expect: timedrdlock ok
 * expect: timedwrlock ok
 * expect: clockrdlock ok
 * expect: clockwrlock ok
 * expect: read:
 * expect: tryrdlock ok
 * expect: trywrlock EBUSY
 * expect: timedrdlock ok
 * expect: timedwrlock ETIMEDOUT
 * expect: clockrdlock ok
 * expect: clockwrlock ETIMEDOUT
 * expect: written:
 * expect: tryrdlock EBUSY
 * expect: trywrlock EBUSY
 * expect: timedrdlock ETIMEDOUT
 * expect: timedwrlock ETIMEDOUT
 * expect: clockrdlock ETIMEDOUT
 * expect: clockwrlock ETIMEDOUT
 */
