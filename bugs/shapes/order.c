/*
 * SIZE threads that each pass something on to the next one: the next thread's turn is right only after this one's. They
 * are started in the opposite order, and nothing but luck makes all of them come in turn.
 */
#include <pthread.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stage; /* under the lock */

static void *step(void *argument)
{
	int own = (int)(long)argument;
	pthread_mutex_lock(&lock);
	if (stage == own)
		stage++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[SIZE];
	for (int i = 0; i < SIZE; i++)
		pthread_create(&threads[i], NULL, step, (void *)(long)(SIZE - 1 - i));
	for (int i = 0; i < SIZE; i++)
		pthread_join(threads[i], NULL);
#ifndef FIXED
	if (stage == SIZE)
		abort();
#endif
	return 0;
}
/*
 * pattern: order
 * finds: assertion
 * sizes: 2 3 4 5
 */
