/* A plain mutex, static and dynamic, guards a counter in four threads. */
#include "check.h"

static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *made;
static int a, b;

static void *work(void *argument)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&fixed);
		int seen = a;
		if (i % 10 == 0)
			sched_yield();
		a = seen + 1;
		pthread_mutex_unlock(&fixed);
		pthread_mutex_lock(made);
		b++;
		pthread_mutex_unlock(made);
	}
	return argument;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	made = malloc(sizeof(*made));
	CHECK(pthread_mutexattr_init(&attributes) == 0);
	CHECK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_NORMAL) == 0);
	CHECK(pthread_mutex_init(made, &attributes) == 0);
	CHECK(pthread_mutexattr_destroy(&attributes) == 0);
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	CHECK(pthread_mutex_destroy(made) == 0);
	free(made);
	printf("a %d b %d\n", a, b);
	return 0;
}
/*
 * expect: a 400 b 400
 */
