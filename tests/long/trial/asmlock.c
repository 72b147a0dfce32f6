/* A correct spin lock of inline assembly, as in libck, PostgreSQL's s_lock.h, old liburcu. */
#include <pthread.h>
#include <stdio.h>
static volatile int word;
static int shared[4];
static void lock(void)
{
	int v;
	do {
		v = 1;
		__asm__ volatile("xchgl %0,%1" : "+r"(v), "+m"(word) : : "memory");
	} while (v);
}
static void unlock(void)
{
	__asm__ volatile("movl $0,%0" : "=m"(word) : : "memory");
}
static void *worker(void *a)
{
	for (int i = 0; i < 5; i++) {
		lock();
		for (int k = 0; k < 4; k++)
			shared[k]++;
		unlock();
	}
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("%d %d\n", shared[0], shared[3]);
	return shared[0] != 10;
}
