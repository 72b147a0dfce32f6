/* SIZE threads in a ring take two locks each, all in the same direction: a deadlock if each has its first one. */
#include <pthread.h>

#ifndef SIZE
#define SIZE 3
#endif

static pthread_mutex_t forks[SIZE];
static int meals[SIZE];

static void *eat(void *argument)
{
	int *meal = argument, here = (int)(meal - meals), next = (here + 1) % SIZE;
#ifdef FIXED
	if (next < here) {
		next = here;
		here = 0;
	}
#endif
	pthread_mutex_lock(&forks[here]);
	pthread_mutex_lock(&forks[next]);
	++*meal;
	pthread_mutex_unlock(&forks[next]);
	pthread_mutex_unlock(&forks[here]);
	return NULL;
}

int main(void)
{
	pthread_t threads[SIZE];
	for (int i = 0; i < SIZE; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (int i = 0; i < SIZE; i++)
		pthread_create(&threads[i], NULL, eat, &meals[i]);
	for (int i = 0; i < SIZE; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock lock-order
 * sizes: 3 5 10
 */
