/* A handler with SA_ONSTACK runs on the other stack wherever the signal finds its thread: at an access, at a lock, at a
 * system call. The mask that it leaves in its context is the thread's mask when it has returned, and the context leads
 * back to the thread's own stack. */
#include "check.h"
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

static char other[1 << 16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int taken, wrong, shared;
static uintptr_t stack_at;

static void handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *where = context;
	char here, *on = &here;
	(void)number;
	(void)info;
	if (on < other || on >= other + sizeof other)
		wrong |= 1;
	if (stack_at - (uintptr_t)where->uc_mcontext.gregs[REG_RSP] > 1 << 16)
		wrong |= 2;
	if (!where->uc_mcontext.gregs[REG_RIP] || sigismember(&where->uc_sigmask, SIGUSR1))
		wrong |= 4;
	sigaddset(&where->uc_sigmask, SIGUSR2);
	taken++;
}

static void *work(void *argument)
{
	char here;
	(void)argument;
	stack_t stack = { .ss_sp = other, .ss_size = sizeof other };
	stack_at = (uintptr_t)&here + 4096;
	CHECK(sigaltstack(&stack, NULL) == 0);
	while (!taken) {
		for (int i = 0; i < 20; i++)
			shared = shared + 1;
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		getppid();
	}
	sigset_t mask;
	CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
	printf("taken %d wrong %d mask %d %d\n", taken, wrong, sigismember(&mask, SIGUSR1), sigismember(&mask, SIGUSR2));
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	pthread_t worker = start(work, NULL);
	while (shared < 40)
		sched_yield();
	CHECK(pthread_kill(worker, SIGUSR1) == 0);
	finish(worker);
	return 0;
}
/*
 * expect: taken 1 wrong 0 mask 0 1
 */
