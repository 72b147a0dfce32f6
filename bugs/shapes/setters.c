/*
 * One checker between two writes of any of SIZE setters. Each setter publishes a number and then its complement; the
 * checker reads both. It fails only if it comes after the first write of some setter and before any second one.
 */
#include <pthread.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 5
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int number, complement;

static void enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

static void *set(void *argument)
{
	enter();
	number = 1;
	complement = -1;
	leave();
	return argument;
}

static void *check(void *argument)
{
	enter();
	int first = number, second = complement;
	leave();
	if (first + second != 0 && first == 1)
		abort();
	return argument;
}

int main(void)
{
	pthread_t threads[SIZE + 1];
	for (int i = 0; i <= SIZE; i++)
		pthread_create(&threads[i], NULL, i < SIZE ? set : check, NULL);
	for (int i = 0; i <= SIZE; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&lock);
	return 0;
}
/*
 * pattern: multi-variable
 * finds: assertion data-race
 * sizes: 3 10 30 100
 */
