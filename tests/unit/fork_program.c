/* fork_program.c: three threads, a queue and a sleep; prints "total 60" and exits with 5 under any schedule. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int *slots, filled, total;

static void *produce(void *argument)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		slots[filled++ % 64] = 1 + (argument != NULL);
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
		if (i == 5)
			usleep(10);
	}
	return NULL;
}

static void *consume(void *argument)
{
	(void)argument;
	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&lock);
		while (filled <= i)
			pthread_cond_wait(&changed, &lock);
		total += slots[i];
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[5];
	slots = calloc(64, sizeof *slots);
	pthread_create(&threads[0], NULL, consume, NULL);
	for (long i = 1; i < 5; i++)
		pthread_create(&threads[i], NULL, produce, (void *)(i % 2));
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	printf("total %d\n", total);
	return 5;
}
