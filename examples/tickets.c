/* Two counters sell the last ticket. Each checks whether one is left and then takes it, and nothing prevents the other from
 * doing the same in between: a harmful race. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

int left = 1;
static atomic_int sold;

static int take(void)
{
	return left > 0 ? left-- : 0;
}

static void *counter(void *argument)
{
	if (take())
		sold++;
	return argument;
}

int main(void)
{
	pthread_t counters[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&counters[i], NULL, counter, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(counters[i], NULL);
	assert(sold == 1);
	printf("sold %d\n", sold);
	return 0;
}
