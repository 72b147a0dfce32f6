/* A failed assertion in a thread. */
#include "check.h"
#include <assert.h>

static volatile int two = 2;

static void *work(void *argument)
{
	assert(two == 3);
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
 * ends: signal 6
 * report: ^heddle:     at work \(.*crash-assert\.c:9\)
 */
