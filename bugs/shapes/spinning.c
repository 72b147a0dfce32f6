/*
 * SIZE threads spin until a flag is set, and then add to a number without a lock. Most of what they do is waiting.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 3
#endif

static atomic_int is_ready, sum;

static void *wait_and_add(void *argument)
{
	while (!atomic_load(&is_ready))
		sched_yield();
#ifdef FIXED
	atomic_fetch_add(&sum, 1);
#else
	atomic_store(&sum, atomic_load(&sum) + 1);
#endif
	return argument;
}

int main(void)
{
	pthread_t threads[SIZE];
	for (int i = 0; i < SIZE; i++)
		pthread_create(&threads[i], NULL, wait_and_add, NULL);
	atomic_store(&is_ready, 1);
	for (int i = 0; i < SIZE; i++)
		pthread_join(threads[i], NULL);
	if (atomic_load(&sum) != SIZE)
		abort();
	return 0;
}
/*
 * pattern: RWW
 * finds: assertion
 * sizes: 3 10 30 100
 */
