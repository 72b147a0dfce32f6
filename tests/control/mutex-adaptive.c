/* An adaptive mutex, which spins before it sleeps. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static int count;

static void *work(void *argument)
{
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&mutex);
		int seen = count;
		if (i % 5 == 0)
			usleep(10);
		count = seen + 1;
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	printf("count %d\n", count);
	return 0;
}
/*
 * expect: count 150
 */
