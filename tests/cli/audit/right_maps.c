/* Pages that one thread unmaps and another one gets, at the same address. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
static __attribute__((noinline)) int fill(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = i;
	return a[n / 2];
}
static void *work(void *x)
{
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		int *a = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		sum += fill(a, 100);
		munmap(a, 8192);
	}
	return (char *)x + sum;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	puts("done");
	return 0;
}
