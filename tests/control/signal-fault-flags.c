/* A fault handler that is installed for one time only: the second fault ends the program. */
#include "check.h"
#include <signal.h>

static volatile sig_atomic_t runs;

static void handler(int number)
{
	sigset_t blocked;
	(void)number;
	CHECK(sigprocmask(SIG_BLOCK, NULL, &blocked) == 0);
	CHECK(sigismember(&blocked, SIGUSR2) == 1);
	runs++;
	dprintf(1, "handled %d\n", (int)runs);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };
	sigaddset(&action.sa_mask, SIGUSR2);
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	*(volatile int *)NULL = 1; /* again after the handler, and then nobody catches it */
	return 0;
}
/*
 * expect: handled 1
 * ends: signal 11
 */
