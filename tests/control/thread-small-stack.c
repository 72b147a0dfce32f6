/* Threads with stacks of 16 KB, the least there is: events must not need much of it. */
#include "check.h"
#include <limits.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *work(void *argument)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		total += (long)argument;
		pthread_mutex_unlock(&mutex);
		struct timespec pause = { 0, 1000 };
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
	pthread_t threads[10];
	for (long i = 0; i < 10; i++)
		CHECK(pthread_create(&threads[i], &attributes, work, (void *)(i + 1)) == 0);
	for (int i = 0; i < 10; i++)
		finish(threads[i]);
	pthread_attr_destroy(&attributes);
	printf("total %ld\n", total);
	return 0;
}
/*
 * expect: total 1100
 */
