/* Two tellers move money between two accounts, in opposite directions. Each first locks the account that it takes from.
 * When both hold their first lock, neither can continue. */
#include <pthread.h>
#include <stdio.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};

struct order {
	struct account *from, *to;
	long amount;
};

static struct account savings = { PTHREAD_MUTEX_INITIALIZER, 1000 };
static struct account current = { PTHREAD_MUTEX_INITIALIZER, 1000 };

static void transfer(struct account *from, struct account *to, long amount)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *teller(void *argument)
{
	struct order *order = argument;
	transfer(order->from, order->to, order->amount);
	return NULL;
}

int main(void)
{
	struct order orders[2] = { { &savings, &current, 100 }, { &current, &savings, 50 } };
	pthread_t tellers[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&tellers[i], NULL, teller, &orders[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(tellers[i], NULL);
	printf("savings %ld, current %ld\n", savings.balance, current.balance);
	return 0;
}
