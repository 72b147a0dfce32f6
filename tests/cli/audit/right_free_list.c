/* A list of free blocks without locks; blocks go from thread to thread by it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
struct block {
	int next;
	int n[4];
};
static struct block room[8];
static _Atomic long head;
static int take(void)
{
	long old = atomic_load_explicit(&head, memory_order_acquire), next;
	do {
		if ((old & 255) == 0)
			return 0;
		next = (old | 255) + 1 + __atomic_load_n(&room[(old & 255) - 1].next, __ATOMIC_RELAXED);
	} while (!atomic_compare_exchange_weak_explicit(&head, &old, next, memory_order_acq_rel, memory_order_acquire));
	return old & 255;
}
static void give(int number)
{
	long old = atomic_load_explicit(&head, memory_order_relaxed);
	do {
		__atomic_store_n(&room[number - 1].next, old & 255, __ATOMIC_RELAXED);
	} while (!atomic_compare_exchange_weak_explicit(&head, &old, (old | 255) + 1 + number, memory_order_acq_rel,
							memory_order_relaxed));
}
static void *work(void *x)
{
	for (int i = 0; i < 3; i++) {
		int b = take();
		for (int k = 0; b && k < 4; k++)
			room[b - 1].n[k]++;
		if (b)
			give(b);
	}
	return x;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 1; i <= 8; i++)
		give(i);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	puts("done");
	return 0;
}
