/* Signal handlers that interrupt clones: a fast timer while a tight loop runs; handlers on a stack of their own; faults. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

volatile sig_atomic_t ticks;
long counts[16];
int shared[64];
static sigjmp_buf back;
static char *page;

static void tick(int number)
{
	(void)number;
	ticks++;
	for (int i = 0; i < 16; i++)
		counts[i] += i;
}
static void fault(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	counts[0] += (char *)info->si_addr == page + 5;
	siglongjmp(back, 1);
}
static void child(int number) { (void)number; counts[1]++; }
__attribute__((noinline)) static unsigned loop(unsigned n)
{
	unsigned h = 1;
	double d = 1;
	for (unsigned i = 0; i < n; i++) {
		shared[i % 64] += (int)(h & 15);
		h = h * 31 + (unsigned)shared[(i * 7) % 64];
		d = d * 1.0000001 + shared[i % 3] * 1e-12;
	}
	return h ^ (unsigned)(d * 1000);
}
__attribute__((noinline)) static int poke(int i) { page[i] = 1; return page[i]; }

int main(void)
{
	unsigned want = loop(300000);
	memset(shared, 0, sizeof shared);
	struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART | SA_ONSTACK };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	struct itimerval every = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &every, NULL);
	int differ = 0;
	do {
		memset(shared, 0, sizeof shared);
		differ += loop(300000) != want;
	} while (ticks < 200);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d %d\n", differ, counts[3] == 3 * (long)ticks);
	memset(counts, 0, sizeof counts);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction faults = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	sigaction(SIGSEGV, &faults, NULL);
	for (int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1))
			poke(5);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	printf("%ld %d\n", counts[0], poke(7));
	signal(SIGUSR1, child);
	raise(SIGUSR1);
	kill(0 + getpid(), SIGUSR1);
	printf("%ld\n", counts[1]);
	signal(SIGSEGV, SIG_DFL);
	if (getenv("CRASH"))
		*(volatile int *)0 = 1;
	return 0;
}
