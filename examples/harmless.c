/* Two workers record that they had work. Both write the same value, and nobody reads it before both have ended:
 * still a data race, but without consequences. */
#include <pthread.h>
#include <stdio.h>

int was_busy;

static void *worker(void *argument)
{
	was_busy = 1;
	return argument;
}

int main(void)
{
	pthread_t workers[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i], NULL);
	printf("was busy: %d\n", was_busy);
	return 0;
}
