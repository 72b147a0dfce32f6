/* A handler of SIGSEGV that makes the page writable and returns: the instruction runs again. */
#include "check.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

static char *pages;
static atomic_int faults;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	char *page = (char *)((unsigned long)info->si_addr & ~4095ul);
	CHECK(page >= pages && page < pages + 8 * 4096);
	CHECK(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
	atomic_fetch_add(&faults, 1);
}

static void *work(void *argument)
{
	long first = (long)argument;
	for (long i = first; i < first + 4; i++)
		pages[i * 4096 + 5] = (char)i;
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	pages = mmap(NULL, 8 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED);
	pthread_t a = start(work, (void *)0), b = start(work, (void *)4);
	finish(a);
	finish(b);
	int sum = 0;
	for (int i = 0; i < 8; i++)
		sum += pages[i * 4096 + 5];
	printf("sum %d faults %d\n", sum, atomic_load(&faults));
	return 0;
}
/*
 * expect: sum 28 faults 8
 */
