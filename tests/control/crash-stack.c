/* A stack that overflows in a thread: the guard page ends the process. */
#include "check.h"

static __attribute__((noinline)) long down(volatile long *last)
{
	volatile long room[100];
	room[0] = *last + 1;
	if (room[0] < 0)
		return 0;
	return down(room) + room[1];
}

static void *work(void *argument)
{
	volatile long first = 0;
	(void)argument;
	return (void *)down(&first);
}

int main(void)
{
	CHECK(write(1, "before\n", 7) == 7);
	finish(start(work, NULL));
	return 0;
}
/*
 * expect: before
 * ends: signal 11
 * report: ^heddle:     at down \(.*crash-stack\.c:
 */
