/*
 * Somebody tests a pointer and then uses it, SIZE times over, each time another one; another thread clears one pointer of them in its
 * own time. One pair of accesses of many matters.
 */
#include <pthread.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 10
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value = 1;
static int *volatile pointers[SIZE];

static void *clear(void *argument)
{
	for (int i = 0; i < SIZE; i++) {
		pthread_mutex_lock(&lock);
		if (i == SIZE / 2)
			pointers[i] = NULL;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

static int use(int i)
{
	int sum = 0;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	if (pointers[i])
		sum = *pointers[i];
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return sum;
}

int main(void)
{
	pthread_t thread;
	int sum = 0;
	for (int i = 0; i < SIZE; i++)
		pointers[i] = &value;
	pthread_create(&thread, NULL, clear, NULL);
	for (int i = 0; i < SIZE; i++)
		sum += use(i);
	pthread_join(thread, NULL);
	return sum > SIZE;
}
/*
 * pattern: RWR
 * finds: crash data-race
 * sizes: 3 10 30
 */
