/* Four tellers move money between accounts. The total must not change. */
#include <pthread.h>
#include <stdio.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};

static struct account accounts[8];
static long transfers; /* counted without a lock: a bug */

static void transfer(struct account *from, struct account *to, long amount)
{
	struct account *first = from < to ? from : to;
	struct account *second = from < to ? to : from;
	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
	transfers++;
}

static void *teller(void *argument)
{
	unsigned seed = (unsigned)(long)argument;
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525u + 1013904223u;
		unsigned from = seed >> 8 & 7, to = seed >> 16 & 7;
		if (from != to)
			transfer(&accounts[from], &accounts[to], seed >> 24);
	}
	return NULL;
}

int main(void)
{
	pthread_t tellers[4];
	for (int i = 0; i < 8; i++)
		accounts[i] = (struct account){ PTHREAD_MUTEX_INITIALIZER, 1000 };
	for (long i = 0; i < 4; i++)
		pthread_create(&tellers[i], NULL, teller, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(tellers[i], NULL);
	long total = 0;
	for (int i = 0; i < 8; i++)
		total += accounts[i].balance;
	printf("total %ld\n", total);
	return 0;
}
