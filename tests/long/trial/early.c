#include <pthread.h>
#include <stdio.h>
static volatile int x, y[3];
static void *w(void *a)
{
	x++;
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
