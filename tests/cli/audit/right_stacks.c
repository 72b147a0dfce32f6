/* Stacks that one thread leaves to the next: cached by libc, detached, and given by the program. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
static sem_t done;
static long total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) void fill(long *a, int n, long by)
{
	for (int i = 0; i < n; i++)
		a[i] = by + i;
}
static __attribute__((noinline)) long deep(int n)
{
	long a[16], sum = 0;
	fill(a, 16, n);
	if (n)
		sum = deep(n - 1);
	for (int i = 0; i < 16; i++)
		sum += a[i];
	return sum;
}
static void *work(void *x)
{
	long got = deep(3);
	pthread_mutex_lock(&m);
	total += got;
	pthread_mutex_unlock(&m);
	sem_post(&done);
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_attr_t attr;
	static char stack[65536] __attribute__((aligned(4096)));
	sem_init(&done, 0, 0);
	for (int i = 0; i < 3; i++) {
		pthread_create(&t, 0, work, 0);
		pthread_join(t, 0);
	}
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 4; i++)
		pthread_create(&t, &attr, work, 0);
	for (int i = 0; i < 7; i++)
		sem_wait(&done);
	for (int i = 0; i < 3; i++)
		pthread_create(&t, &attr, work, 0);
	for (int i = 0; i < 3; i++)
		sem_wait(&done);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, sizeof stack);
	for (int i = 0; i < 3; i++) {
		pthread_create(&t, &attr, work, 0);
		deep(2);
		pthread_join(t, 0);
	}
	printf("%ld\n", total);
	return 0;
}
