#include <pthread.h>
#include <stdio.h>
static volatile int x, y[3];
__attribute__((noinline)) static void inner(void)
{
	x++;
}
__attribute__((noinline)) static void outer(void)
{
	inner();
	asm volatile("");
}
static void *w(void *a)
{
	outer();
	for (int i = 0; i < NN; i++)
		y[(long)a]++;
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(t + i, 0, w, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	puts("x");
}
