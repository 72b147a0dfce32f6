/*
 * SafeStack: a stack of free elements whose top can be the same again. A thread that pops first takes the link out of the top
 * element, so that no other can pop it meanwhile, and then moves the top on if it is still that element; otherwise it puts the link
 * back. The link that it puts back may be an old one by then: the element was popped and pushed in between. Then two threads get the same element.
 * It takes three threads and at least five preemptions at the right places.
 *
 * Described by Dmitry Vyukov (Bug with a context switch bound 5, RSDN and the forum of CHESS, 2010); written anew after that. All accesses to the
 * stack are atomic. The fixed one counts the changes of the top, as Treiber's stack (1986) does, and leaves the links alone.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

enum { THREADS = 3, ELEMENTS = 3, ROUNDS = 2, NONE = -1 };

static atomic_int links[ELEMENTS];
static atomic_int owners[ELEMENTS];

#ifdef FIXED
static _Atomic uint64_t top; /* an element + 1, and above it how often it was changed */

static int pop(void)
{
	uint64_t seen = top;
	while ((uint32_t)seen) {
		int element = (int)(uint32_t)seen - 1;
		uint64_t next = ((seen >> 32) + 1) << 32 | (uint32_t)(links[element] + 1);
		if (atomic_compare_exchange_strong(&top, &seen, next))
			return element;
	}
	return NONE;
}

static void push(int element)
{
	uint64_t seen = top;
	do
		links[element] = (int)(uint32_t)seen - 1;
	while (!atomic_compare_exchange_strong(&top, &seen, ((seen >> 32) + 1) << 32 | (uint32_t)(element + 1)));
}

static void prepare(void)
{
	top = 1;
}
#else
static atomic_int top, count = ELEMENTS;

static int pop(void)
{
	while (count > 1) {
		int element = top;
		int next = atomic_exchange(&links[element], NONE);
		if (next == NONE)
			continue;
		int expected = element;
		if (atomic_compare_exchange_strong(&top, &expected, next)) {
			count--;
			return element;
		}
		atomic_exchange(&links[element], next);
	}
	return NONE;
}

static void push(int element)
{
	int seen = top;
	do
		links[element] = seen;
	while (!atomic_compare_exchange_strong(&top, &seen, element));
	count++;
}

static void prepare(void)
{
}
#endif

static void *work(void *argument)
{
	for (int round = 0; round < ROUNDS; round++) {
		int element;
		while ((element = pop()) == NONE)
			sched_yield();
		int others = atomic_fetch_add(&owners[element], 1);
		assert(others == 0);
		atomic_fetch_sub(&owners[element], 1);
		push(element);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[THREADS];
	prepare();
	for (int i = 0; i < ELEMENTS; i++)
		links[i] = i + 1 < ELEMENTS ? i + 1 : NONE;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
/*
 * pattern: atomicity
 * finds: assertion
 */
