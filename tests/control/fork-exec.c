/* fork and exec of another program with arguments and environment; its exit status; exec of a missing program fails. */
#include "check.h"
#include <sys/wait.h>

static int run(char *const arguments[], char *const environment[])
{
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		execve(arguments[0], arguments, environment);
		_exit(errno == ENOENT ? 127 : 126);
	}
	int status;
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

int main(void)
{
	char *environment[] = { (char[]){ "VALUE=12" }, NULL };
	char *shell[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" }, (char[]){ "exit $((VALUE + $1))" },
			  (char[]){ "sh" },      (char[]){ "30" }, NULL };
	char *missing[] = { (char[]){ "/there/is/no/program" }, NULL };
	char *plain[] = { (char[]){ "/etc/passwd" }, NULL };
	printf("shell %d\n", run(shell, environment));
	printf("missing %d\n", run(missing, environment));
	printf("plain %d\n", run(plain, environment));
	return 0;
}
/*
 * expect: shell 42
 * expect: missing 127
 * expect: plain 126
 */
