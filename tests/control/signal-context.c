/* A handler may change the registers that it returns to: it steps over an instruction that faults. */
#include "check.h"
#include <signal.h>
#include <ucontext.h>

static int skipped;

static void handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *where = context;
	(void)number;
	(void)info;
	where->uc_mcontext.gregs[REG_RIP] += 2;
	where->uc_mcontext.gregs[REG_RAX] = 77;
	skipped++;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	CHECK(sigaction(SIGILL, &action, NULL) == 0);
	long result = 0, total = 0;
	double kept = 1.5;
	for (int i = 0; i < 3; i++) {
		__asm__ volatile("mov $1, %%eax\n\tud2" : "=a"(result) : : "cc");
		total += result;
		kept *= 2;
	}
	printf("total %ld skipped %d kept %g\n", total, skipped, kept);
	return 0;
}
/*
 * expect: total 231 skipped 3 kept 12
 */
