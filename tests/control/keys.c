/* Keys with destructors: values of each thread apart, destructors in each, several rounds when they set values anew. */
#include "check.h"
#include <stdatomic.h>

static pthread_key_t plain, again;
static atomic_int destroyed, rounds;

static void destroy(void *value)
{
	atomic_fetch_add(&destroyed, *(int *)value);
	free(value);
}

static void destroy_again(void *value)
{
	long left = (long)value;
	atomic_fetch_add(&rounds, 1);
	CHECK(pthread_getspecific(again) == NULL);
	if (left > 1)
		CHECK(pthread_setspecific(again, (void *)(left - 1)) == 0);
}

static void *work(void *argument)
{
	int *value = malloc(sizeof(int));
	*value = (int)(long)argument;
	CHECK(pthread_getspecific(plain) == NULL);
	CHECK(pthread_setspecific(plain, value) == 0);
	CHECK(pthread_setspecific(again, (void *)3) == 0);
	sched_yield();
	CHECK(pthread_getspecific(plain) == value);
	if (*value % 2)
		pthread_exit(NULL);
	return NULL;
}

int main(void)
{
	CHECK(pthread_key_create(&plain, destroy) == 0);
	CHECK(pthread_key_create(&again, destroy_again) == 0);
	pthread_t threads[5];
	for (long i = 0; i < 5; i++)
		threads[i] = start(work, (void *)(i + 1));
	for (int i = 0; i < 5; i++)
		finish(threads[i]);
	printf("destroyed %d rounds %d\n", destroyed, rounds);
	CHECK(pthread_key_delete(plain) == 0 && pthread_key_delete(again) == 0);
	CHECK(pthread_setspecific(plain, &plain) == EINVAL);
	/* More keys than fit into the first block of a thread, which libc then allocates. */
	pthread_key_t keys[200];
	for (long i = 0; i < 200; i++) {
		CHECK(pthread_key_create(&keys[i], NULL) == 0);
		CHECK(pthread_setspecific(keys[i], (void *)i) == 0);
	}
	long sum = 0;
	for (int i = 0; i < 200; i++)
		sum += (long)pthread_getspecific(keys[i]);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: destroyed 15 rounds 15
 * expect: sum 19900
 */
