#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int y[3];
static int *p;
static void *w(void *a)
{
	free(p);
	return a;
}
static void *r(void *a)
{
	volatile int z = *p;
	for (int i = 0; i < 5000; i++)
		y[1]++;
	return a;
}
int main(void)
{
	p = malloc(4);
	*p = 1;
	pthread_t t[2];
	pthread_create(t, 0, w, 0);
	pthread_create(t + 1, 0, r, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	puts("x");
}
