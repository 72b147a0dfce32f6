/* Three threads that wait for each other's end in a circle. */
#include "check.h"
#include <semaphore.h>

static pthread_t threads[3];
static sem_t all_there;

static void *work(void *argument)
{
	sem_wait(&all_there);
	pthread_join(threads[((long)argument + 1) % 3], NULL);
	return NULL;
}

int main(void)
{
	sem_init(&all_there, 0, 0);
	for (long i = 0; i < 3; i++)
		threads[i] = start(work, (void *)i);
	CHECK(write(1, "before\n", 7) == 7);
	for (int i = 0; i < 3; i++)
		sem_post(&all_there);
	pthread_exit(NULL);
}
/*
 * expect: before
 * ends: deadlock
 * report: ^heddle: the cycle: thread 2 waits for thread 3 .*; thread 3 waits for thread 4 .*; thread 4 waits for thread 2 
 */
