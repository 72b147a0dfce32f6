/* signals.c: handlers run in between, in any thread. */
#include <aio.h>
#include <signal.h>
#include <unistd.h>

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

/* What is sent with a signal. */
struct sigaction valued_action;
int valued;
static void on_value(int number, siginfo_t *info, void *context)
{
	(void)context;
	*(int *)info->si_value.sival_ptr = number; // @VALUE
}

/* A thread tells that something was read. */
struct aiocb block;
char read_bytes[8];
int told;
static void on_read(union sigval value)
{
	++*(int *)value.sival_ptr; // @TOLD
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
	valued_action.sa_sigaction = on_value;
	valued_action.sa_flags = SA_SIGINFO;
	sigaction(SIGRTMIN, &valued_action, NULL);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_ptr = &valued });
	valued = 0; // @SENT
	block.aio_buf = read_bytes;
	block.aio_nbytes = sizeof read_bytes;
	block.aio_sigevent.sigev_notify = SIGEV_THREAD;
	block.aio_sigevent.sigev_notify_function = on_read;
	block.aio_sigevent.sigev_value.sival_ptr = &told;
	aio_read(&block);
	told = 0; // @ASKED
	return seen + acted == 0; // @MAIN
}
/*
 * race: HANDLER-MAIN
 * race: ACTION-MAIN
 * race: VALUE-SENT
 * race: TOLD-ASKED
 * may: TOLD-TOLD
 * may: VALUE-VALUE
 * may: VALUE-TOLD
 * may: VALUE-ASKED
 * may: HANDLER-HANDLER
 * may: ACTION-ACTION
 */
