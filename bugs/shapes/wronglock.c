/*
 * SIZE threads add to a number under its lock, and one under another lock: an update is lost if it comes between the read and
 * the write of that one, or the other way round.
 */
#include <pthread.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 5
#endif

static pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER, wrong_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int number;

static void *add(void *argument)
{
	pthread_mutex_t *lock = argument;
	pthread_mutex_lock(lock);
	number = number + 1;
	pthread_mutex_unlock(lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[SIZE + 1];
	for (int i = 0; i <= SIZE; i++) {
		pthread_mutex_t *lock = &right_lock;
#ifndef FIXED
		if (i == SIZE)
			lock = &wrong_lock;
#endif
		pthread_create(&threads[i], NULL, add, lock);
	}
	for (int i = 0; i <= SIZE; i++)
		pthread_join(threads[i], NULL);
	if (number != SIZE + 1)
		abort();
	pthread_mutex_destroy(&wrong_lock);
	return 0;
}
/*
 * pattern: RWW
 * finds: assertion data-race
 * sizes: 3 10 30 100
 */
