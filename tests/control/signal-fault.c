/* Handlers of SIGSEGV, SIGFPE, SIGILL and SIGBUS that jump out, in two threads; the fault address is told. */
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static __thread sigjmp_buf back;
static __thread void *fault_address;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)context;
	fault_address = info->si_addr;
	siglongjmp(back, number);
}

static void *work(void *argument)
{
	char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int counts[32] = { 0 };
	(void)argument;
	CHECK(page != MAP_FAILED);
	for (volatile int i = 0; i < 12; i++) {
		int number = sigsetjmp(back, 1);
		if (number) {
			counts[number]++;
			if (number == SIGSEGV)
				CHECK(fault_address == page + 10);
			continue;
		}
		if (i % 3 == 0)
			*(volatile char *)(page + 10) = 1;
		else if (i % 3 == 1)
			__asm__ volatile("ud2");
		else
			__asm__ volatile("xor %%edx, %%edx\n\tmov $1, %%eax\n\txor %%ecx, %%ecx\n\tidiv %%ecx"
					 :
					 :
					 : "eax", "ecx", "edx", "cc");
		CHECK(!"it went on");
	}
	return (void *)(long)(counts[SIGSEGV] * 100 + counts[SIGILL] * 10 + counts[SIGFPE]);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGILL, &action, NULL) == 0 &&
	      sigaction(SIGFPE, &action, NULL) == 0);
	pthread_t a = start(work, NULL), b = start(work, NULL);
	printf("main %ld\n", (long)work(NULL));
	long of_a = (long)finish(a), of_b = (long)finish(b);
	printf("threads %ld %ld\n", of_a, of_b);
	return 0;
}
/*
 * expect: main 444
 * expect: threads 444 444
 */
