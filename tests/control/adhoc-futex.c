/* A mutex and a gate that the program makes of futex calls itself, with time-outs and bit sets. */
#include "check.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

static atomic_uint lock_word, gate;
static int count;

static long futex(atomic_uint *word, int operation, unsigned value, const struct timespec *timeout, unsigned bits)
{
	return syscall(SYS_futex, word, operation, value, timeout, NULL, bits);
}

static void lock(void)
{
	unsigned seen = 0;
	if (atomic_compare_exchange_strong(&lock_word, &seen, 1))
		return;
	if (seen != 2)
		seen = atomic_exchange(&lock_word, 2);
	while (seen != 0) {
		futex(&lock_word, FUTEX_WAIT_PRIVATE, 2, NULL, 0);
		seen = atomic_exchange(&lock_word, 2);
	}
}

static void unlock(void)
{
	if (atomic_exchange(&lock_word, 0) == 2)
		futex(&lock_word, FUTEX_WAKE_PRIVATE, 1, NULL, 0);
}

static void *work(void *argument)
{
	while (gate == 0)
		futex(&gate, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, 1u << (long)argument);
	for (int i = 0; i < 20; i++) {
		lock();
		int seen = count;
		if (i % 4 == 0)
			sched_yield();
		count = seen + 1;
		unlock();
	}
	return NULL;
}

int main(void)
{
	struct timespec soon = { 0, 2000000 };
	CHECK(futex(&gate, FUTEX_WAIT_PRIVATE, 0, &soon, 0) == -1 && errno == ETIMEDOUT);
	CHECK(futex(&gate, FUTEX_WAIT_PRIVATE, 7, NULL, 0) == -1 && errno == EAGAIN);
	struct timespec at = after_ms(CLOCK_MONOTONIC, 2);
	CHECK(futex(&gate, FUTEX_WAIT_BITSET_PRIVATE, 0, &at, 1) == -1 && errno == ETIMEDOUT);
	CHECK(futex(&gate, FUTEX_WAKE_PRIVATE, 5, NULL, 0) == 0);
	pthread_t threads[4];
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)i);
	usleep(500);
	gate = 1;
	futex(&gate, FUTEX_WAKE_BITSET_PRIVATE, 100, NULL, 5);
	futex(&gate, FUTEX_WAKE_BITSET_PRIVATE, 100, NULL, 10);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	printf("count %d\n", count);
	return 0;
}
/*
 * expect: count 80
 */
