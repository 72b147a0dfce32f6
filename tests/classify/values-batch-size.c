/*
 * A configuration that is reloaded while workers run: the size of a batch changes from 2 to 3. Workers read it at the
 * start of each batch, without a lock; all sizes lead to the same sum.
 */
#include <pthread.h>
#include <stdio.h>

enum { ITEMS = 6 };

struct configuration {
	volatile int batch_size; /* 1 at least */
	int version;             /* of the thread that reloads */
};

static struct configuration configuration = { .batch_size = 2 };
static const int items[ITEMS] = { 3, 1, 4, 1, 5, 9 };

static void *reload(void *unused)
{
	configuration.version++;
	configuration.batch_size = 3; /*A*/
	return unused;
}

static int sum_batch(int first, int size)
{
	int sum = 0;
	for (int i = first; i < first + size && i < ITEMS; i++)
		sum += items[i];
	return sum;
}

static void *work(void *argument)
{
	long *sum = argument;
	for (int first = 0; first < ITEMS;) {
		int size = configuration.batch_size; /*B*/
		*sum += sum_batch(first, size);
		first += size;
	}
	return NULL;
}

int main(void)
{
	pthread_t worker, reloader;
	long sum = 0;
	pthread_create(&worker, NULL, work, &sum);
	pthread_create(&reloader, NULL, reload, NULL);
	pthread_join(worker, NULL);
	pthread_join(reloader, NULL);
	printf("sum %ld, version %d\n", sum, configuration.version);
	return sum == 23 ? 0 : 1;
}
/*
 * expect: race A B class harmless reason both-values-valid
 * why: the size only says how the same items are cut into batches, and it is read once for each batch.
 */
