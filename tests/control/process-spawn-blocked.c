/* A program is started while all signals are blocked: it begins with that mask, and the one that started it keeps it. */
#include "check.h"
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

int main(void)
{
	char *words[] = { "grep", "-q", "SigBlk:.*0004000$", "/proc/self/status", NULL };
	sigset_t set, now;
	pid_t child;
	int status;
	sigfillset(&set);
	CHECK(sigprocmask(SIG_SETMASK, &set, NULL) == 0);
	CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, words, environ) == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(sigprocmask(SIG_SETMASK, NULL, &now) == 0 && sigismember(&now, SIGUSR1) && sigismember(&now, SIGSYS));
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	CHECK(sigprocmask(SIG_SETMASK, &set, NULL) == 0);
	CHECK(posix_spawn(&child, "/bin/grep", NULL, NULL, words, environ) == 0);
	CHECK(waitpid(child, &status, 0) == child);
	printf("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}
/*
 * expect: exit 0
 * timing: what comes from children comes when it comes
 */
