/* explore_program.c: two threads, each with three atomic steps; prints the order of the steps, of which there are 20. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { STEPS = 3 };

static atomic_int place;
static char order[2 * STEPS + 1];

static void *work(void *name)
{
	for (int i = 0; i < STEPS; i++)
		order[atomic_fetch_add(&place, 1)] = *(const char *)name;
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, "a");
	pthread_create(&b, NULL, work, "b");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts(order);
	return 0;
}
