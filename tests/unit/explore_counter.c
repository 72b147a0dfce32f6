/* explore_counter.c: two threads count, each once, without a lock: 1 if a count is lost. */
#include <pthread.h>

static int counter;

static void *work(void *argument)
{
	counter++;
	return argument;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return counter != 2;
}
