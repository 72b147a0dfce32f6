/* private.c: memory of one thread alone, and how it gets to others. */
#include "pair.h"

_Thread_local int own;
THREAD(own_1)
{
	own++;
	return (void *)(intptr_t)own;
}

/* Blocks that no other thread gets to know. */
struct block {
	int value;
	struct block *next;
};
static __attribute__((noinline)) int use(struct block *block)
{
	block->value++; // @USE
	return block->value;
}
THREAD(heap_1)
{
	struct block *block = malloc(sizeof *block);
	block->value = 0; // @HEAP
	int value = use(block);
	free(block);
	return value ? argument : NULL;
}

/* The stack of one thread. */
static __attribute__((noinline)) void fill(int *values, int count)
{
	for (int i = 0; i < count; i++)
		values[i] = i; // @STACK
}
THREAD(stack_1)
{
	int values[8];
	fill(values, 8);
	return values[3] ? argument : NULL;
}

/* A block that a global variable leads to. */
struct block *published;
THREAD(published_1)
{
	struct block *block = malloc(sizeof *block);
	block->value = 1;   // @FRESH
	published = block;  // @PUBLISH
	block->value = 2;   // @AFTERWARDS
	return NULL;
}
THREAD(published_2)
{
	struct block *block = published; // @LOOK
	return block && block->value ? argument : NULL; // @FOLLOW
}

/* By two steps, and by a field of a structure on the heap. */
struct box {
	struct block *inside;
};
struct box *box;
THREAD(box_1)
{
	struct block *block = malloc(sizeof *block);
	box->inside = block; // @PUT
	block->value = 1;    // @BOXED
	return NULL;
}
THREAD(box_2)
{
	struct block *block = box->inside; // @TAKE
	return block && block->value ? argument : NULL; // @UNBOXED
}

/* Own allocators: what they make is told apart by who called them. */
static __attribute__((noinline)) void *must_allocate(size_t size)
{
	void *block = malloc(size);
	if (!block)
		abort();
	return block;
}
struct block *shared_block;
THREAD(wrapper_1)
{
	struct block *block = must_allocate(sizeof *block);
	block->value = 1; // @WRAPPERPRIVATE
	int value = block->value;
	free(block);
	shared_block->value = value; // @WRAPPERSHARED1
	return NULL;
}
THREAD(wrapper_2)
{
	return shared_block->value ? argument : NULL; // @WRAPPERSHARED2
}

/* A variable of a function that has given its address to a thread. */
THREAD(lent_1)
{
	*(int *)argument = 1; // @LENT1
	return NULL;
}
static __attribute__((noinline)) int lend(void)
{
	int variable = 0;
	pthread_t id;
	pthread_create(&id, NULL, lent_1, &variable);
	int value = variable; // @LENT2
	pthread_join(id, NULL);
	return value;
}

int main(void)
{
	BOTH(own_1, own_1);
	BOTH(heap_1, heap_1);
	BOTH(stack_1, stack_1);
	BOTH(published_1, published_2);
	box = malloc(sizeof *box);
	box->inside = NULL;
	BOTH(box_1, box_2);
	shared_block = must_allocate(sizeof *shared_block);
	shared_block->value = 0;
	BOTH(wrapper_1, wrapper_2);
	return lend();
}
/*
 * race: PUBLISH-LOOK
 * race: AFTERWARDS-FOLLOW
 * race: PUT-TAKE
 * race: BOXED-UNBOXED
 * race: WRAPPERSHARED1-WRAPPERSHARED2
 * race: LENT1-LENT2
 * may: FRESH-FOLLOW
 * no: HEAP-HEAP: unshared ordered
 * no: USE-USE: unshared
 * no: STACK-STACK: unshared
 * no: WRAPPERPRIVATE-WRAPPERSHARED2: no-alias unshared
 */
