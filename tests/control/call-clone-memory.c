/* A process that runs beside the threads in the same memory would be a second one in the world. */
#include "check.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

static char stack[1 << 16];

static int runs(void *argument)
{
	(void)argument;
	return 3;
}

int main(void)
{
	int status;
	pid_t child = clone(runs, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	printf("%d\n", WEXITSTATUS(status));
	return 0;
}
/*
 * ends: refused
 * skip: native
 */
