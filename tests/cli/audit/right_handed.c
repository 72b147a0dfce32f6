/* A counter that is always locked, with two locks in turn, recursively, by trylock and with a condition. */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static int counter, table[8], waiting;
static void *work(void *x)
{
	pthread_mutex_lock(&a);
	counter++;
	waiting++;
	while (waiting < 2)
		pthread_cond_wait(&c, &a);
	pthread_cond_broadcast(&c);
	counter++;
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&b);
	table[1]++;
	pthread_mutex_unlock(&b);
	table[2]++;
	pthread_mutex_unlock(&b);
	pthread_rwlock_wrlock(&r);
	table[3]++;
	pthread_rwlock_unlock(&r);
	pthread_rwlock_rdlock(&r);
	int n = table[3];
	pthread_rwlock_unlock(&r);
	return (char *)x + n;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("%d %d\n", counter, table[2]);
	return 0;
}
