/* vfork with exec and with _exit. */
#include "check.h"
#include <sys/wait.h>

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
	return 0;
}
/*
 * expect: exited 9
 * expect: exec 11
 */
