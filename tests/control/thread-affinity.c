/* Affinity can be asked for and set, for oneself and for others, and yields sane answers. */
#include "check.h"
#include <sched.h>

static void *work(void *argument)
{
	(void)argument;
	cpu_set_t set;
	CHECK(pthread_getaffinity_np(pthread_self(), sizeof(set), &set) == 0);
	CHECK(CPU_COUNT(&set) >= 1);
	CHECK(pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0);
	CHECK(sched_getcpu() >= 0);
	CHECK(sched_yield() == 0);
	return NULL;
}

int main(void)
{
	cpu_set_t set;
	CHECK(sched_getaffinity(0, sizeof(set), &set) == 0);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
	CHECK(sysconf(_SC_NPROCESSORS_ONLN) >= 1);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setaffinity_np(&attributes, sizeof(set), &set) == 0);
	pthread_t first, second = start(work, NULL);
	CHECK(pthread_create(&first, &attributes, work, NULL) == 0);
	int error = pthread_setaffinity_np(second, sizeof(set), &set);
	CHECK(error == 0 || error == ESRCH);
	finish(first);
	finish(second);
	pthread_attr_destroy(&attributes);
	printf("ok\n");
	return 0;
}
/*
 * expect: ok
 */
