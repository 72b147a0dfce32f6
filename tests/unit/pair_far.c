/* pair_far.c: a race whose two accesses are thousands of events apart, with locks in between. */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long work[2], shared, sum;
static void lap(int who, int count)
{
	for (int i = 0; i < count; i++) {
		work[who]++;
		if (i % 50 == 0) {
			pthread_mutex_lock(&mutex);
			sum++;
			pthread_mutex_unlock(&mutex);
		}
	}
}
static void *early(void *unused)
{
	shared = 1;
	lap(0, 4000);
	return unused;
}
static void *late(void *unused)
{
	lap(1, 4000);
	printf("%ld\n", shared);
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, early, NULL);
	pthread_create(&threads[1], NULL, late, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
