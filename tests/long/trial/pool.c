#include <pthread.h>
#include <stdlib.h>
struct slot {
	int count;
};
struct slot *NAME(void *cache);
static struct slot *only;
__attribute__((noinline)) struct slot *NAME(void *cache)
{
	(void)cache;
	if (!only)
		only = malloc(sizeof *only);
	return only;
}
static void *work(void *argument)
{
	struct slot *slot = NAME(argument);
	slot->count++;
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	NAME(NULL)->count = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
