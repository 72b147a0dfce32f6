/* A lock-free stack with compare and swap and a counter in the pointer against reuse. */
#include "check.h"
#include <stdatomic.h>

#define NODES 64
struct node {
	unsigned next; /* index + 1 */
	int value;
};
static struct node nodes[NODES];
static _Atomic(unsigned long) top; /* count in the upper half */

static void push(unsigned index)
{
	unsigned long old = top;
	do
		nodes[index].next = (unsigned)old;
	while (!atomic_compare_exchange_weak(&top, &old, ((old >> 32) + 1) << 32 | (index + 1)));
}

static int pop(void)
{
	unsigned long old = top;
	for (;;) {
		unsigned index = (unsigned)old;
		if (index == 0)
			return -1;
		unsigned long next = *(volatile unsigned *)&nodes[index - 1].next;
		if (atomic_compare_exchange_weak(&top, &old, ((old >> 32) + 1) << 32 | next))
			return (int)index - 1;
	}
}

static void *work(void *argument)
{
	for (int i = 0; i < 40; i++) {
		int index = pop();
		if (index < 0) {
			sched_yield();
			continue;
		}
		nodes[index].value++;
		push((unsigned)index);
	}
	return argument;
}

int main(void)
{
	for (unsigned i = 0; i < NODES; i++)
		push(i);
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	int sum = 0, count = 0;
	for (int index; (index = pop()) >= 0; count++)
		sum += nodes[index].value;
	printf("count %d sum %d\n", count, sum);
	return 0;
}
/*
 * expect: count 64 sum 160
 */
