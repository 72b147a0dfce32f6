#include <pthread.h>
#include <stdint.h>
typedef int (*cf)(int);
static int shared;
static uint64_t table[4];
static int doit(int x)
{
	shared = x;
	return x;
}
static void *work(void *a)
{
	shared++;
	return a;
}
int main(int c, char **v)
{
	pthread_t t;
	(void)v;
	table[c] = 0xfffc000000000000ULL | (uint64_t)(intptr_t)doit;
	pthread_create(&t, 0, work, 0);
	((cf)(intptr_t)(table[c] & ~(65535UL << 48)))(c);
	pthread_join(t, 0);
	return 0;
}
