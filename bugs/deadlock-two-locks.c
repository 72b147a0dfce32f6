/*
 * Two accounts, two locks, two orders.
 *
 * A transfer locks the account it takes from and then the one it gives to. Two transfers in opposite directions each
 * hold what the other needs. Nearly all deadlocks in the study of Lu and others (ASPLOS 2008) are about no more than
 * two resources.
 */
#include <pthread.h>
#include <stdio.h>

struct account {
	pthread_mutex_t lock; /* guards balance; in the fixed one the account with the lower number is locked first */
	int number;
	int balance;
};

struct transfer {
	struct account *from, *to;
	int amount;
};

static struct account accounts[2] = { { PTHREAD_MUTEX_INITIALIZER, 1, 100 }, { PTHREAD_MUTEX_INITIALIZER, 2, 100 } };

static void *move(void *argument)
{
	struct transfer *transfer = argument;
	struct account *first = transfer->from, *second = transfer->to;
#ifdef FIXED
	if (first->number > second->number) {
		first = transfer->to;
		second = transfer->from;
	}
#endif
	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock);
	transfer->from->balance -= transfer->amount;
	transfer->to->balance += transfer->amount;
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
	return NULL;
}

int main(void)
{
	struct transfer transfers[2] = { { &accounts[0], &accounts[1], 30 }, { &accounts[1], &accounts[0], 10 } };
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, move, &transfers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("balances %d and %d\n", accounts[0].balance, accounts[1].balance);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock lock-order
 * source: general; Lu and others (ASPLOS 2008)
 */
