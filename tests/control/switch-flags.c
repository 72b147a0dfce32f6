/* What the program can see of the registers where an access faults, flags included, is the same each time, whoever ran
 * before it. */
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#define THREADS 3
#define ROUNDS 40

static __thread sigjmp_buf back;
static volatile unsigned sums[THREADS];
static volatile int shared;
static int *volatile nowhere;

static void handler(int number, siginfo_t *info, void *context)
{
	const ucontext_t *where = context;
	unsigned long flags = (unsigned long)where->uc_mcontext.gregs[REG_EFL] & 0x8d5;
	unsigned sum = (unsigned)flags * 31 + (unsigned)where->uc_mcontext.gregs[REG_R11];
	(void)number;
	(void)info;
	siglongjmp(back, (int)(sum & 0xffffff) + 1);
}

static void *work(void *argument)
{
	int number = (int)(long)argument;
	for (int i = 0; i < ROUNDS; i++) {
		int sum = sigsetjmp(back, 1);
		if (sum == 0) {
			for (int k = 0; k < i % 7; k++)
				shared++;
			int *at = nowhere;
			*at = shared;
		}
		sums[number] = sums[number] * 31 + (unsigned)sum;
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t threads[THREADS];
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	for (long i = 0; i < THREADS; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		finish(threads[i]);
		printf("%x\n", sums[i]);
	}
	return 0;
}
/*
 * output: depends on the compiler
 */
