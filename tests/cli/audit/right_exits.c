/* Threads that end by pthread_exit and by cancellation, with handlers whose frames are on their stacks. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ended;
static void clean(void *p)
{
	int *a = p;
	a[1]++;
	pthread_mutex_lock(&m);
	ended += a[1];
	pthread_mutex_unlock(&m);
}
static __attribute__((noinline)) void inner(int n)
{
	int a[4] = { n };
	pthread_cleanup_push(clean, a);
	a[2]++;
	if (n == 0)
		pthread_exit(0);
	inner(n - 1);
	pthread_cleanup_pop(1);
}
static void *leaves(void *x)
{
	int a[8] = { 0 };
	pthread_cleanup_push(clean, a);
	inner(2);
	pthread_cleanup_pop(1);
	return x;
}
static void *waits(void *x)
{
	int a[8] = { 0 };
	pthread_cleanup_push(clean, a);
	for (;;)
		pause();
	pthread_cleanup_pop(1);
	return x;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, i % 2 ? leaves : waits, 0);
	for (int i = 0; i < 4; i += 2)
		pthread_cancel(t[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	pthread_create(&t[0], 0, leaves, 0);
	pthread_join(t[0], 0);
	printf("%d\n", ended);
	return 0;
}
