/* Each thread keeps its affinity mask while others run: getaffinity, getcpu and cpuid agree with it, and new threads inherit it. */
#include "check.h"
#include <cpuid.h>
#include <sched.h>

static int processors[2]; /* of those that the program may run on, the first and the last */
static int identity[2];

static int apic_of(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(0xb, 0, &a, &b, &c, &d) ? (int)d : __get_cpuid(1, &a, &b, &c, &d) ? (int)(b >> 24) : 0;
}

static void bind_to(pthread_t thread, int processor)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	CHECK(pthread_setaffinity_np(thread, sizeof set, &set) == 0);
}

static void is_on(int which)
{
	cpu_set_t set;
	CHECK(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
	CHECK(CPU_COUNT(&set) == 1 && CPU_ISSET(processors[which], &set));
	CHECK(sched_getcpu() == processors[which]);
	CHECK(apic_of() == identity[which]);
}

static void *inherit(void *which)
{
	is_on(*(int *)which);
	return NULL;
}

static void *work(void *which)
{
	bind_to(pthread_self(), processors[*(int *)which]);
	for (int i = 0; i < 5; i++) {
		is_on(*(int *)which);
		sched_yield();
	}
	finish(start(inherit, which));
	return NULL;
}

int main(void)
{
	cpu_set_t all, set;
	pthread_t threads[2];
	int which[2] = { 0, 1 };
	CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			processors[1] = i;
	for (int i = CPU_SETSIZE - 1; i >= 0; i--)
		if (CPU_ISSET(i, &all))
			processors[0] = i;
	for (int i = 0; i < 2; i++) {
		bind_to(pthread_self(), processors[i]);
		identity[i] = apic_of();
		is_on(i);
	}
	CHECK(processors[0] == processors[1] || identity[0] != identity[1]);
	/* Back to all of them. */
	CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
	CHECK(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_EQUAL(&all, &set));
	for (int i = 0; i < 2; i++)
		threads[i] = start(work, &which[i]);
	CHECK(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_EQUAL(&all, &set));
	for (int i = 0; i < 2; i++)
		finish(threads[i]);
	/* Errors are those of the kernel. */
	CPU_ZERO(&set);
	CHECK(sched_setaffinity(0, sizeof set, &set) == -1 && errno == EINVAL);
	CHECK(sched_setaffinity(0, sizeof set, (cpu_set_t *)8) == -1 && errno == EFAULT);
	CHECK(sched_setaffinity(999999999, sizeof set, &all) == -1 && errno == ESRCH);
	CHECK(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_EQUAL(&all, &set));
	printf("ok\n");
	return 0;
}
/*
 * expect: ok
 */
