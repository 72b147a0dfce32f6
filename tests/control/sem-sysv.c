/* Semaphores of System V: semop that waits for another thread, several operations at once, semtimedop that is in time and
 * one that is not, and no operations at all. */
#include "check.h"
#include <sys/sem.h>

static int set;

static int change(unsigned short which, short by, short flags)
{
	struct sembuf one = { which, by, flags };
	return semop(set, &one, 1);
}

static void *post(void *argument)
{
	for (int i = 0; i < 20; i++) {
		CHECK(change(1, -1, 0) == 0);
		++*(int *)argument;
		CHECK(change(0, 1, 0) == 0);
	}
	return NULL;
}

int main(void)
{
	int turns = 0;
	set = semget(IPC_PRIVATE, 2, 0600);
	CHECK(set >= 0);
	pthread_t thread = start(post, &turns);
	for (int i = 0; i < 20; i++) {
		struct timespec long_time = { 1000, 0 };
		struct sembuf wait = { 0, -1, 0 };
		CHECK(change(1, 1, 0) == 0);
		CHECK((i % 2 ? semop(set, &wait, 1) : semtimedop(set, &wait, 1, &long_time)) == 0);
		CHECK(turns == i + 1);
	}
	finish(thread);
	printf("turns %d\n", turns);

	long long before = now_ns(CLOCK_MONOTONIC);
	struct timespec time = { 0, 50000000 };
	struct sembuf both[2] = { { 0, 1, 0 }, { 1, -1, 0 } };
	CHECK(semtimedop(set, both, 2, &time) == -1 && errno == EAGAIN);
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 50000000);
	CHECK(change(1, -1, IPC_NOWAIT) == -1 && errno == EAGAIN);
	CHECK(semctl(set, 0, GETVAL) == 0); /* all or nothing */
	time.tv_nsec = -1;
	CHECK(semtimedop(set, both, 2, &time) == -1 && errno == EINVAL);
	CHECK(semctl(set, 0, IPC_RMID) == 0);
	CHECK(change(0, 1, 0) == -1 && errno == EINVAL);
	printf("timed\n");
	return 0;
}
/*
 * expect: turns 20
 * expect: timed
 */
