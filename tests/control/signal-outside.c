/* A signal from another process: the child sends it to its parent, which waits for it. */
#include "check.h"
#include <signal.h>
#include <sys/wait.h>

static volatile sig_atomic_t sender, code;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	sender = info->si_pid;
	code = info->si_code;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	sigset_t set, old;
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0)
		_exit(kill(getppid(), SIGUSR1) ? errno : 0);
	CHECK(sigsuspend(&old) == -1 && errno == EINTR);
	int status;
	CHECK(waitpid(child, &status, 0) == child);
	printf("status %d from child %d user %d\n", WEXITSTATUS(status), sender == child, code == SI_USER);
	return 0;
}
/*
 * expect: status 0 from child 1 user 1
 */
