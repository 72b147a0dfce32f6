/*
 * ABA: the top of the stack is the same node again, and its next is not.
 *
 * pop() reads the top and its next, and puts the next in the top's place if the top is still the same. If in between
 * another thread has taken that node and the one below and put the first one back, the comparison succeeds and a node
 * that is in use becomes the top. IBM's System/370 Principles of Operation describe it for compare-and-swap (appendix
 * A); Treiber's stack (1986) keeps a count beside the pointer, as the fixed one here does. All accesses are atomic:
 * there is no data race.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { NODES = 3, NONE = NODES };

struct node {
	atomic_uint next;
	atomic_int owners; /* 0 on the stack, 1 when taken */
};

static struct node nodes[NODES];
static _Atomic uint64_t top = NONE; /* the number of a node, and above it how often it was changed */

static unsigned node_of(uint64_t seen)
{
	return (unsigned)seen;
}

static uint64_t next_top(uint64_t seen, unsigned node)
{
#ifdef FIXED
	return ((seen >> 32) + 1) << 32 | node;
#else
	(void)seen;
	return node;
#endif
}

static void push(unsigned node)
{
	uint64_t seen = atomic_load(&top);
	atomic_fetch_sub(&nodes[node].owners, 1);
	do
		atomic_store(&nodes[node].next, node_of(seen));
	while (!atomic_compare_exchange_strong(&top, &seen, next_top(seen, node)));
}

static unsigned pop(void)
{
	uint64_t seen = atomic_load(&top);
	unsigned next;
	do {
		if (node_of(seen) == NONE)
			return NONE;
		next = atomic_load(&nodes[node_of(seen)].next);
	} while (!atomic_compare_exchange_strong(&top, &seen, next_top(seen, next)));
	atomic_fetch_add(&nodes[node_of(seen)].owners, 1);
	return node_of(seen);
}

/* Takes two, puts the first one back. */
static void *juggle(void *argument)
{
	unsigned first = pop();
	unsigned second = pop();
	if (first != NONE)
		push(first);
	*(unsigned *)argument = second;
	return NULL;
}

static void *take_one(void *argument)
{
	*(unsigned *)argument = pop();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	unsigned kept[2];
	int owned_twice = 0;
	for (unsigned i = 0; i < NODES; i++) {
		atomic_store(&nodes[i].owners, 1);
		push(i);
	}
	pthread_create(&threads[0], NULL, juggle, &kept[0]);
	pthread_create(&threads[1], NULL, take_one, &kept[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	while (pop() != NONE)
		;
	for (int i = 0; i < NODES; i++)
		owned_twice += atomic_load(&nodes[i].owners) != 1;
	printf("%d nodes not owned once\n", owned_twice);
	return owned_twice != 0;
}
/*
 * pattern: aba
 * finds: bad-exit output-differs
 * source: general; System/370 Principles of Operation; Treiber (1986)
 */
