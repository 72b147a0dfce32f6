/*
 * Two stages with SIZE threads, each stage with a lock of its own: what the first stage has made is in the second one a
 * moment later. A reader that takes both in between finds one without the other. No data race.
 */
#include <pthread.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 5
#endif

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *make(void *argument)
{
	pthread_mutex_lock(&first_lock);
	int made = first = 7;
#ifndef FIXED
	pthread_mutex_unlock(&first_lock);
#endif
	pthread_mutex_lock(&second_lock);
	second = made + 1;
	pthread_mutex_unlock(&second_lock);
#ifdef FIXED
	pthread_mutex_unlock(&first_lock);
#endif
	return argument;
}

static void *use(void *argument)
{
	pthread_mutex_lock(&first_lock);
	int made = first;
	pthread_mutex_unlock(&first_lock);
	if (made == 0)
		return argument;
	pthread_mutex_lock(&second_lock);
	int derived = second;
	pthread_mutex_unlock(&second_lock);
	if (derived != made + 1)
		abort();
	return argument;
}

int main(void)
{
	pthread_t threads[SIZE];
	for (int i = 0; i < SIZE; i++)
		pthread_create(&threads[i], NULL, i < SIZE - 1 ? make : use, NULL);
	for (int i = 0; i < SIZE; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
/*
 * pattern: multi-variable
 * finds: assertion
 * sizes: 3 10 30 100
 */
