/* A child writes to the standard output that it shares, in turn with its parent. */
#include "check.h"
#include <sys/wait.h>

int main(void)
{
	for (int i = 0; i < 3; i++) {
		printf("parent %d\n", i);
		fflush(stdout);
		pid_t child = fork();
		CHECK(child >= 0);
		if (child == 0) {
			printf("child %d\n", i);
			exit(i);
		}
		int status;
		CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == i);
	}
	return 0;
}
/*
 * expect: parent 0
 * expect: child 0
 * expect: parent 1
 * expect: child 1
 * expect: parent 2
 * expect: child 2
 * outside: a child's output: a replay has no children
 */
