/* Detached threads, by attribute, by others and by themselves; a semaphore says that all have done their work. */
#include "check.h"
#include <semaphore.h>
#include <stdatomic.h>

static sem_t done;
static atomic_int sum;

static void *work(void *argument)
{
	long value = (long)argument;
	if (value % 3 == 0)
		CHECK(pthread_detach(pthread_self()) == 0);
	atomic_fetch_add(&sum, (int)value);
	sem_post(&done);
	return NULL;
}

int main(void)
{
	sem_init(&done, 0, 0);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (long i = 0; i < 30; i++) {
		pthread_t thread;
		CHECK(pthread_create(&thread, i % 3 == 1 ? &attributes : NULL, work, (void *)i) == 0);
		if (i % 3 == 2)
			CHECK(pthread_detach(thread) == 0);
	}
	for (int i = 0; i < 30; i++)
		CHECK(sem_wait(&done) == 0);
	printf("sum %d\n", sum);
	return 0;
}
/*
 * expect: sum 435
 */
