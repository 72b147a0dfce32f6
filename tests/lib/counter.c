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
	return 0;
}
/* counter.c: two threads and the smallest race, for tests that need any. */
