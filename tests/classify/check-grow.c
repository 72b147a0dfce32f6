/*
 * An array that grows on demand. The capacity is looked at without the lock; if it is too small, it is looked at
 * again with the lock before the array grows. Elements are stored with the lock.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, WANTED = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int capacity = 2; /* never shrinks */
static int *elements;
static int grown;

static void reserve(int wanted)
{
	if (wanted <= capacity) /*A*/
		return;
	pthread_mutex_lock(&lock);
	if (wanted > capacity) {
		elements = realloc(elements, (size_t)wanted * sizeof *elements);
		for (int i = capacity; i < wanted; i++)
			elements[i] = 0;
		capacity = wanted; /*B*/
		grown++;
	}
	pthread_mutex_unlock(&lock);
}

static void *store(void *argument)
{
	int number = *(int *)argument;
	reserve(WANTED);
	pthread_mutex_lock(&lock);
	elements[number + 2] += number + 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];
	elements = calloc((size_t)capacity, sizeof *elements);
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, store, &numbers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("grown %d, elements %d %d\n", grown, elements[2], elements[3]);
	free(elements);
	return 0;
}
/*
 * expect: race A B class harmless reason double-check
 * why: a thread that sees the old capacity sees the new one under the lock, and elements are only touched there.
 */
