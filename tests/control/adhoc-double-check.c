/* Double-checked initialisation with acquire and release, from six threads. */
#include "check.h"
#include <stdatomic.h>

struct config {
	int a, b;
};
static _Atomic(struct config *) config;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int made;

static struct config *get(void)
{
	struct config *found = atomic_load_explicit(&config, memory_order_acquire);
	if (!found) {
		pthread_mutex_lock(&mutex);
		found = atomic_load_explicit(&config, memory_order_relaxed);
		if (!found) {
			found = malloc(sizeof(*found));
			found->a = 3;
			found->b = 4;
			made++;
			atomic_store_explicit(&config, found, memory_order_release);
		}
		pthread_mutex_unlock(&mutex);
	}
	return found;
}

static void *work(void *argument)
{
	(void)argument;
	return (void *)(long)(get()->a * 10 + get()->b);
}

int main(void)
{
	pthread_t threads[6];
	long sum = 0;
	for (int i = 0; i < 6; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 6; i++)
		sum += (long)finish(threads[i]);
	free(config);
	printf("sum %ld made %d\n", sum, made);
	return 0;
}
/*
 * expect: sum 204 made 1
 */
