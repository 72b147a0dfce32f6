/* A thread spins on a flag that nobody ever sets. */
#include "check.h"

static volatile int is_ready;

static void *work(void *argument)
{
	while (!is_ready)
		;
	return argument;
}

int main(void)
{
	CHECK(write(1, "before\n", 7) == 7);
	finish(start(work, NULL));
	return 0;
}
/*
 * expect: before
 * budget: 100000
 * ends: livelock or deadlock
 * needs: weave
 * report: ^heddle:     at work \(.*livelock-spin\.c:8\)
 */
