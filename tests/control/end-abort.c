/* abort, with a handler that returns: the process dies of SIGABRT all the same. */
#include "check.h"
#include <signal.h>

static void handler(int number)
{
	(void)number;
	CHECK(write(1, "handler\n", 8) == 8);
}

static void *work(void *argument)
{
	abort();
	return argument;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	CHECK(sigaction(SIGABRT, &action, NULL) == 0);
	finish(start(work, NULL));
	return 0;
}
/*
 * expect: handler
 * ends: signal 6
 * report: ^heddle:     at work \(.*end-abort\.c:
 */
