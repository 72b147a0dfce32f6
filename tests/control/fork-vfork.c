/* vfork with exec and with _exit; what the child writes into memory is seen. */
#include "check.h"
#include <sys/wait.h>

static int failed; /* by the child */
static int *on_heap;

static void *start_nothing(void *argument)
{
	volatile int local = 0, status = 0;
	errno = 0;
	pid_t child = vfork();
	if (child == 0) {
		execl("/nowhere", "nowhere", (char *)NULL);
		failed = errno;
		*on_heap = errno + 1;
		local = errno + 2;
		_exit(127);
	}
	CHECK(child > 0 && waitpid(child, (int *)&status, 0) == child);
	printf("not started: %d %d %d, errno %d, exit %d\n", failed, *on_heap, local, errno, WEXITSTATUS(status));
	return argument;
}

int main(void)
{
	int status;
	pid_t child = vfork();
	if (child == 0)
		_exit(9);
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	printf("exited %d\n", WEXITSTATUS(status));
	child = vfork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 11", (char *)NULL);
		_exit(127);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	printf("exec %d\n", WEXITSTATUS(status));
	on_heap = calloc(1, sizeof *on_heap);
	start_nothing(NULL);
	failed = *on_heap = 0;
	finish(start(start_nothing, NULL));
	return 0;
}
/*
 * expect: exited 9
 * expect: exec 11
 * expect: not started: 2 3 4, errno 2, exit 127
 * expect: not started: 2 3 4, errno 2, exit 127
 * timing: how long the child takes
 */
