/* A null pointer in a thread while others run. */
#include "check.h"

static int *volatile nowhere;

static void *crashes(void *argument)
{
	usleep(100);
	*nowhere = 1;
	return argument;
}

static void *runs(void *argument)
{
	for (;;)
		usleep(10);
	return argument;
}

int main(void)
{
	CHECK(write(1, "before\n", 7) == 7);
	start(runs, NULL);
	finish(start(crashes, NULL));
	return 0;
}
/*
 * expect: before
 * ends: signal 11
 * report: ^heddle:     at crashes \(.*crash-null\.c:9\)
 */
