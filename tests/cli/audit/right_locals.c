/* Thread-local variables whose addresses are known to their own threads, and what they leave to the next. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static __thread int own[16];
static __thread int *mine;
static pthread_key_t key;
static __attribute__((noinline)) int *give(int *p)
{
	return mine = p;
}
static void end(void *p)
{
	int *a = p;
	a[0]++;
	free(a);
	own[1]++;
}
static void *work(void *x)
{
	int *p = give(own);
	int *a = malloc(64);
	a[0] = 1;
	pthread_setspecific(key, a);
	for (int i = 0; i < 16; i++)
		p[i] += i;
	mine[3]++;
	return x;
}
int main(void)
{
	pthread_t t[3];
	pthread_key_create(&key, end);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], 0, work, 0);
		work(0);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], 0);
	}
	printf("%d\n", own[3]);
	return 0;
}
