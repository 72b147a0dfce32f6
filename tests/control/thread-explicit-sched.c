/* Explicit scheduling attributes with the ordinary policy, and what the thread is told about it. */
#include "check.h"
#include <sched.h>

static void *work(void *argument)
{
	int policy = -1;
	struct sched_param parameter;
	CHECK(pthread_getschedparam(pthread_self(), &policy, &parameter) == 0);
	*(int *)argument = policy == SCHED_OTHER && parameter.sched_priority == 0;
	return NULL;
}

int main(void)
{
	pthread_attr_t attributes;
	struct sched_param parameter = { .sched_priority = 0 };
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED) == 0);
	CHECK(pthread_attr_setschedpolicy(&attributes, SCHED_OTHER) == 0);
	CHECK(pthread_attr_setschedparam(&attributes, &parameter) == 0);
	int is_other[2] = { 0, 0 };
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], &attributes, work, &is_other[i]) == 0);
	for (int i = 0; i < 2; i++)
		finish(threads[i]);
	CHECK(pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameter) == 0);
	pthread_attr_destroy(&attributes);
	printf("other %d %d\n", is_other[0], is_other[1]);
	return 0;
}
/*
 * expect: other 1 1
 */
