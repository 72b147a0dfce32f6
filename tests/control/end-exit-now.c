/* _exit from a thread: no handlers, nothing flushed. */
#include "check.h"

static void at_exit(void)
{
	printf("handler\n");
}

static void *exits(void *argument)
{
	(void)argument;
	CHECK(write(1, "now\n", 4) == 4);
	_exit(6);
}

int main(void)
{
	atexit(at_exit);
	printf("never flushed");
	pthread_t thread = start(exits, NULL);
	finish(thread);
	return 0;
}
/*
 * expect: now
 * ends: exit 6
 */
