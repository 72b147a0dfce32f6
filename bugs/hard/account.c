/*
 * An account that three threads use: two read the balance and write a new one, each in a critical section of its own, so that a change
 * can be lost between them; one only looks. Small enough for an exhaustive search. The fixed one has one critical section for a change.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int get(void)
{
	pthread_mutex_lock(&lock);
	int seen = balance;
	pthread_mutex_unlock(&lock);
	return seen;
}

#ifdef FIXED
static void change(int by)
{
	pthread_mutex_lock(&lock);
	balance += by;
	pthread_mutex_unlock(&lock);
}
#else
static void set(int value)
{
	pthread_mutex_lock(&lock);
	balance = value;
	pthread_mutex_unlock(&lock);
}

static void change(int by)
{
	set(get() + by);
}
#endif

static void *deposit(void *argument)
{
	change(10);
	return argument;
}

static void *withdraw(void *argument)
{
	change(-20);
	return argument;
}

static void *look(void *argument)
{
	get();
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	pthread_create(&threads[0], NULL, deposit, NULL);
	pthread_create(&threads[1], NULL, withdraw, NULL);
	pthread_create(&threads[2], NULL, look, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(balance == 90);
	return 0;
}
/*
 * pattern: atomicity
 * finds: assertion
 */
