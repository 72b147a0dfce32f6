/* Clocks of a forked child go on from its parent's, and what it waits for until an absolute time comes when it is due. */
#include "check.h"
#include <semaphore.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME_COARSE };
#define CLOCKS (sizeof(clocks) / sizeof(*clocks))

#define SOON_MS 20
#define LATE_NS 30000000000ll /* a wait that was not understood */

/* Whether it waited until then: not shorter, not for ever. */
static int is_due(clockid_t clock, const struct timespec *at)
{
	long long late = now_ns(clock) - (at->tv_sec * 1000000000ll + at->tv_nsec);
	return late >= 0 && late < LATE_NS;
}

static void *wait_in_thread(void *argument)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec at = after_ms(CLOCK_REALTIME, SOON_MS);
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&condition, &mutex, &at) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&mutex);
	CHECK(is_due(CLOCK_REALTIME, &at));
	return argument;
}

static void waits(void)
{
	struct timespec at = after_ms(CLOCK_REALTIME, SOON_MS);
	sem_t semaphore;
	CHECK(sem_init(&semaphore, 0, 0) == 0 && sem_timedwait(&semaphore, &at) == -1 && errno == ETIMEDOUT);
	CHECK(is_due(CLOCK_REALTIME, &at));
	for (size_t i = 0; i < 2; i++) {
		at = after_ms(clocks[i], SOON_MS);
		CHECK(clock_nanosleep(clocks[i], TIMER_ABSTIME, &at, NULL) == 0 && is_due(clocks[i], &at));
		struct itimerspec set = { .it_value = after_ms(clocks[i], SOON_MS) };
		uint64_t count = 0;
		int timer = timerfd_create(clocks[i], 0);
		CHECK(timer >= 0 && timerfd_settime(timer, TFD_TIMER_ABSTIME, &set, NULL) == 0);
		CHECK(read(timer, &count, sizeof(count)) == sizeof(count) && count == 1 && is_due(clocks[i], &set.it_value));
		close(timer);
	}
	finish(start(wait_in_thread, NULL));
}

int main(void)
{
	struct timespec before[CLOCKS];
	int status;
	usleep(1000);
	for (size_t i = 0; i < CLOCKS; i++)
		clock_gettime(clocks[i], &before[i]);
	time_t second = time(NULL);
	pid_t child = fork();
	if (child == 0) {
		for (size_t i = 0; i < CLOCKS; i++)
			CHECK(is_due(clocks[i], &before[i]));
		CHECK(time(NULL) >= second && time(NULL) < second + 30);
		waits();
		pid_t grandchild = fork();
		if (grandchild == 0)
			_exit(is_due(CLOCK_REALTIME, &before[0]) ? 7 : 8);
		CHECK(waitpid(grandchild, &status, 0) == grandchild);
		_exit(WEXITSTATUS(status));
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	printf("child %d\n", WEXITSTATUS(status));
	return 0;
}
/*
 * expect: child 7
 */
