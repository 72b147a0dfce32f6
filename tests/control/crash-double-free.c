/* A block freed twice in a thread. */
#include "check.h"

static char *volatile block;

static void *frees(void *argument)
{
	free(block);
	free(block);
	return argument;
}

int main(void)
{
	CHECK(write(1, "before\n", 7) == 7);
	block = malloc(100);
	finish(start(frees, NULL));
	return 0;
}
/*
 * expect: before
 * ends: signal 6
 * report: ^heddle: free of a block that was already freed$
 * report: ^heddle:     at frees \(.*crash-double-free\.c:9\)
 */
