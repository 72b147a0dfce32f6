/*
 * A chain of alternating updates, SIZE deep: two threads add to each other's number in turns, and only if no turn is missed
 * do the numbers reach their maximum. What they hold meanwhile is right under each order; that the maximum is out of
 * reach is what somebody believed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 3
#endif

static atomic_long left = 1, right = 1;
static long maximum;

static void *push_left(void *argument)
{
	for (int i = 0; i < SIZE; i++)
		atomic_store(&left, atomic_load(&left) + atomic_load(&right));
	return argument;
}

static void *push_right(void *argument)
{
	for (int i = 0; i < SIZE; i++)
		atomic_store(&right, atomic_load(&right) + atomic_load(&left));
	return argument;
}

static int is_too_much(long number)
{
#ifdef FIXED
	return number > maximum;
#else
	return number >= maximum;
#endif
}

int main(void)
{
	long a = 1, b = 1;
	for (int i = 0; i < SIZE; i++) {
		a += b;
		b += a;
	}
	maximum = b;
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, push_left, NULL);
	pthread_create(&threads[1], NULL, push_right, NULL);
	if (is_too_much(atomic_load(&left)) || is_too_much(atomic_load(&right)))
		abort();
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (is_too_much(atomic_load(&left)) || is_too_much(atomic_load(&right)))
		abort();
	return 0;
}
/*
 * pattern: order
 * finds: assertion
 * sizes: 3 5 10
 */
