/* signals.c: handlers run in between, in any thread. */
#include <signal.h>

#include "pair.h"

int seen, set_before;
static void on_signal(int number)
{
	seen += number; // @HANDLER
}
struct sigaction action;
int acted;
static void on_action(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	acted = number; // @ACTION
}

int main(void)
{
	set_before = 1;
	signal(SIGUSR1, on_signal);
	action.sa_sigaction = on_action;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR1);
	raise(SIGUSR2);
	return seen + acted == 0; // @MAIN
}
/*
 * race: HANDLER-MAIN
 * race: ACTION-MAIN
 * may: HANDLER-HANDLER
 * may: ACTION-ACTION
 */
