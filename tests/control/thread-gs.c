/* The base of gs is each thread's own, whether it is set by a system call or by the instruction; a new thread begins with
 * that of the one that made it. */
#include "check.h"
#include <asm/prctl.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#define THREADS 3

static long words[THREADS + 1] = { 100, 101, 102, 103 };

static long from_gs(void)
{
	long value;
	__asm__ volatile("movq %%gs:0, %0" : "=r"(value));
	return value;
}

static void *work(void *argument)
{
	long number = (long)(intptr_t)argument;
	uintptr_t base = 0;
	CHECK(from_gs() == 100);
	if (number == 2 && (getauxval(AT_HWCAP2) & 2))
		__asm__ volatile("wrgsbase %0" : : "r"(&words[number]));
	else
		CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, &words[number]) == 0);
	for (int i = 0; i < 20; i++) {
		sched_yield();
		CHECK(from_gs() == 100 + number);
	}
	CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0 && base == (uintptr_t)&words[number]);
	return NULL;
}

int main(void)
{
	pthread_t workers[THREADS];
	CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, &words[0]) == 0);
	for (long i = 0; i < THREADS; i++)
		workers[i] = start(work, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < THREADS; i++)
		finish(workers[i]);
	printf("%ld\n", from_gs());
	return 0;
}
/*
 * expect: 100
 */
