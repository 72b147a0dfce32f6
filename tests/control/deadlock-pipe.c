/* A read of a pipe both ends of which are the program's own, and nobody left to write. */
#include "check.h"

static int ends[2];

static void *work(void *argument)
{
	char byte;
	CHECK(read(ends[0], &byte, 1) == 1);
	return argument;
}

int main(void)
{
	CHECK(pipe(ends) == 0 && write(1, "before\n", 7) == 7);
	finish(start(work, NULL));
	return 0;
}
/*
 * expect: before
 * ends: deadlock
 * report: ^heddle:   thread 2 .*waits for descriptor [0-9]+$
 * report: ^heddle:     at work \(.*deadlock-pipe\.c:9\)
 */
