/* Threads with attributes: stack size, guard, detached state, scheduling, all read back. */
#include "check.h"

static void *work(void *argument)
{
	char room[200 << 10];
	memset(room, 1, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	return argument;
}

int main(void)
{
	pthread_attr_t attributes;
	CHECK(pthread_attr_init(&attributes) == 0);
	CHECK(pthread_attr_setstacksize(&attributes, 1 << 20) == 0);
	CHECK(pthread_attr_setguardsize(&attributes, 16384) == 0);
	CHECK(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE) == 0);
	CHECK(pthread_attr_setinheritsched(&attributes, PTHREAD_INHERIT_SCHED) == 0);
	CHECK(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM) == 0);
	size_t size = 0;
	CHECK(pthread_attr_getstacksize(&attributes, &size) == 0 && size == 1 << 20);
	CHECK(pthread_attr_setstacksize(&attributes, 100) == EINVAL);
	long sum = 0;
	for (long round = 0; round < 3; round++) {
		pthread_t threads[4];
		for (long i = 0; i < 4; i++)
			CHECK(pthread_create(&threads[i], &attributes, work, (void *)(i + round)) == 0);
		for (int i = 0; i < 4; i++)
			sum += (long)finish(threads[i]);
	}
	CHECK(pthread_attr_setguardsize(&attributes, 0) == 0);
	pthread_t thread;
	CHECK(pthread_create(&thread, &attributes, work, (void *)100) == 0);
	sum += (long)finish(thread);
	CHECK(pthread_attr_destroy(&attributes) == 0);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 130
 */
