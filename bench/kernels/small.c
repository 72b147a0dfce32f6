/*
 * small.c: three threads and about a hundred events: what a campaign runs thousands of times.
 */
#include <pthread.h>

#define STEPS 9

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *argument)
{
	for (int i = 0; i < STEPS; i++) {
		pthread_mutex_lock(&mutex);
		sum++;
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 2;
	work(NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return sum == 3 * STEPS ? 0 : 1;
}
