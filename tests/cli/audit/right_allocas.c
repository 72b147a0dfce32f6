#include <alloca.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static __attribute__((noinline)) int use(char *a, int n)
{
	memset(a, n, n);
	a[n / 2] = 1;
	return a[n / 3];
}
static __attribute__((noinline)) int vla(int n)
{
	int a[n], sum = 0;
	for (int i = 0; i < n; i++)
		a[i] = i;
	for (int i = 0; i < n; i++)
		sum += a[i] + use((char *)a, n);
	return sum;
}
static void *work(void *x)
{
	int sum = 0;
	for (int i = 1; i < 5; i++)
		sum += use(alloca(i * 64), i * 64) + vla(i);
	return (char *)x + sum;
}
int main(void)
{
	pthread_t t[4];
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], 0, work, 0);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], 0);
	}
	puts("done");
	return 0;
}
