/* fork: children end with a status, by exit, _exit and signal, and the parent is told exactly. */
#include "check.h"
#include <signal.h>
#include <sys/wait.h>

int main(void)
{
	printf("before\n");
	fflush(stdout);
	pid_t pids[4];
	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (pids[i] == 0) {
			if (i == 3) {
				raise(SIGKILL);
			} else if (i == 2) {
				exit(7);
			}
			_exit(i);
		}
	}
	for (int i = 3; i >= 0; i--) {
		int status;
		CHECK(waitpid(pids[i], &status, 0) == pids[i]);
		if (WIFEXITED(status))
			printf("child %d exited %d\n", i, WEXITSTATUS(status));
		else
			printf("child %d signal %d\n", i, WTERMSIG(status));
	}
	CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
	return 0;
}
/*
 * expect: before
 * expect: child 3 signal 9
 * expect: child 2 exited 7
 * expect: child 1 exited 1
 * expect: child 0 exited 0
 */
