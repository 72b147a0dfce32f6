/*
 * Two transfers between accounts update a balance without a lock; an audit asserts that no money was made or lost.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { TRANSFERS = 2 };

struct account {
	volatile long balance;
};

static struct account savings = { 100 };

static void *withdraw(void *argument)
{
	const long *amount = argument;
	long balance = savings.balance;      /*A*/
	savings.balance = balance - *amount; /*B*/
	return NULL;
}

int main(void)
{
	pthread_t threads[TRANSFERS];
	long amounts[TRANSFERS] = { 30, 50 }, given = 0;
	for (int i = 0; i < TRANSFERS; i++)
		pthread_create(&threads[i], NULL, withdraw, &amounts[i]);
	for (int i = 0; i < TRANSFERS; i++) {
		pthread_join(threads[i], NULL);
		given += amounts[i];
	}
	assert(savings.balance + given == 100);
	printf("balance %ld\n", savings.balance);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * expect: race B B class spec-violated
 * why: a withdrawal that reads before the other writes overwrites it, and the assertion fails.
 */
