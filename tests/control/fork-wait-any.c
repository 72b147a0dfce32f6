/* waitpid with WNOHANG in a loop, wait for any child in a thread, waitid, wait4. */
#include "check.h"
#include <sys/resource.h>
#include <sys/wait.h>

static pid_t spawn(int status)
{
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		usleep(2000);
		_exit(status);
	}
	return child;
}

static void *waits(void *argument)
{
	(void)argument;
	long sum = 0;
	int status;
	while (wait(&status) > 0)
		sum += WEXITSTATUS(status);
	CHECK(errno == ECHILD);
	return (void *)sum;
}

int main(void)
{
	int status = 0;
	pid_t child = spawn(3), got;
	while ((got = waitpid(child, &status, WNOHANG)) == 0)
		usleep(500);
	CHECK(got == child && WEXITSTATUS(status) == 3);

	child = spawn(4);
	siginfo_t info;
	memset(&info, 0, sizeof(info));
	CHECK(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
	CHECK(info.si_pid == child && info.si_status == 4 && info.si_code == CLD_EXITED);
	struct rusage usage;
	CHECK(wait4(child, &status, 0, &usage) == child && WEXITSTATUS(status) == 4);

	for (int i = 1; i <= 5; i++)
		spawn(i);
	printf("sum %ld\n", (long)finish(start(waits, NULL)));
	return 0;
}
/*
 * expect: sum 15
 * timing: children run in real time
 */
