#include <pthread.h>
#include <stdio.h>
static int left = 1, sold;
static void *w(void *a)
{
	if (left > 0) {
		left--;
		__atomic_fetch_add(&sold, 1, 5);
	}
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(t + i, 0, w, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("%d\n", sold);
	return 0;
}
