/* sem_timedwait and sem_clockwait that time out, and that get what is posted meanwhile. */
#include "check.h"
#include <semaphore.h>

static sem_t sem;

static void *posts(void *argument)
{
	usleep(1000);
	sem_post(&sem);
	usleep(1000);
	sem_post(&sem);
	return argument;
}

int main(void)
{
	sem_init(&sem, 0, 0);
	long long before = now_ns(CLOCK_MONOTONIC);
	struct timespec at = after_ms(CLOCK_REALTIME, 10);
	CHECK(sem_timedwait(&sem, &at) == -1 && errno == ETIMEDOUT);
	at = after_ms(CLOCK_MONOTONIC, 10);
	CHECK(sem_clockwait(&sem, CLOCK_MONOTONIC, &at) == -1 && errno == ETIMEDOUT);
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 19000000);
	at.tv_nsec = -1;
	CHECK(sem_timedwait(&sem, &at) == -1 && errno == EINVAL);
	pthread_t thread = start(posts, NULL);
	at = after_ms(CLOCK_REALTIME, 100000);
	CHECK(sem_timedwait(&sem, &at) == 0);
	at = after_ms(CLOCK_MONOTONIC, 100000);
	CHECK(sem_clockwait(&sem, CLOCK_MONOTONIC, &at) == 0);
	finish(thread);
	printf("ok\n");
	return 0;
}
/*
 * expect: ok
 */
