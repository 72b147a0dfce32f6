/* queue.c: a queue of two places between two threads, done correctly: a waiting thread tests the condition again when it wakes. */
#include <pthread.h>
#include <stdio.h>

enum { PLACES = 2, LETTERS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int places[PLACES], first, count;

static void put(int letter)
{
	pthread_mutex_lock(&lock);
	while (count == PLACES)
		pthread_cond_wait(&changed, &lock);
	places[(first + count++) % PLACES] = letter;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static int take(void)
{
	pthread_mutex_lock(&lock);
	while (count == 0)
		pthread_cond_wait(&changed, &lock);
	int letter = places[first];
	first = (first + 1) % PLACES;
	count--;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return letter;
}

static void *writer(void *argument)
{
	for (int i = 0; i < LETTERS; i++)
		put(i + 1);
	return argument;
}

int main(void)
{
	pthread_t thread;
	int sum = 0;
	if (pthread_create(&thread, NULL, writer, NULL))
		return 1;
	for (int i = 0; i < LETTERS; i++)
		sum += take();
	pthread_join(thread, NULL);
	printf("sum %d\n", sum);
	return 0;
}
