/* pointers.c: accesses and calls by pointers of all kinds. */
#include <search.h>
#include <stdarg.h>
#include <stddef.h>

#include "pair.h"

/* A function by pointer. */
int by_pointer;
static void set_1(void)
{
	by_pointer = 1; // @POINTER1
}
static void set_2(void)
{
	by_pointer = 2; // @POINTER2
}
void (*setter)(void) = set_1;
THREAD(by_pointer_1)
{
	setter();
	return NULL;
}
THREAD(by_pointer_2)
{
	by_pointer = 3; // @POINTER3
	return NULL;
}

/* A table of functions in a structure. */
struct operations {
	int (*get)(void *);
	void (*put)(void *, int);
};
struct device {
	const struct operations *operations;
	int state;
};
static int device_get(void *device)
{
	return ((struct device *)device)->state; // @GET
}
static void device_put(void *device, int state)
{
	((struct device *)device)->state = state; // @PUT
}
const struct operations operations = { device_get, device_put };
struct device device = { &operations, 0 };
THREAD(table_1)
{
	device.operations->put(&device, 1);
	return NULL;
}
THREAD(table_2)
{
	return device.operations->get(&device) ? argument : NULL;
}

/* Called back by libc. */
int compared, sorted[4] = { 3, 1, 2, 0 };
static int compare(const void *a, const void *b)
{
	compared++; // @COMPARED
	return *(const int *)a - *(const int *)b;
}
THREAD(sort_1)
{
	int mine[4] = { 2, 1, 0, 3 };
	qsort(mine, 4, sizeof *mine, compare);
	return mine[1] ? argument : NULL;
}

/* From a member to the whole. */
struct link {
	struct link *next;
};
struct item {
	int value;
	struct link link;
};
struct link *items;
#define ITEM(pointer) ((struct item *)((char *)(pointer) - offsetof(struct item, link)))
static __attribute__((noinline)) void change(struct link *link)
{
	ITEM(link)->value = 2; // @CONTAINER1
}
struct item item;
THREAD(container_1)
{
	change(items);
	return NULL;
}
THREAD(container_2)
{
	return item.value ? argument : NULL; // @CONTAINER2
}

/* One memory, two types. */
union both {
	long number;
	struct {
		int low, high;
	} halves;
};
union both both;
THREAD(union_1)
{
	both.number = 1; // @UNION1
	return NULL;
}
THREAD(union_2)
{
	return both.halves.high ? argument : NULL; // @UNION2
}

/* Copied as a whole, pointers in it as well. */
struct holder {
	int *target;
	int other;
};
int target;
struct holder original = { &target, 0 }, copy;
THREAD(copied_1)
{
	*copy.target = 1; // @COPIED1
	return NULL;
}
THREAD(copied_2)
{
	return target ? argument : NULL; // @COPIED2
}
static __attribute__((noinline)) void copy_bytes(void *to, const void *from, size_t size)
{
	memcpy(to, from, size); // @COPY
}

/* All bytes of an object at once. */
struct holder cleared;
THREAD(cleared_1)
{
	copy_bytes(&cleared, &original, sizeof cleared);
	return NULL;
}
THREAD(cleared_2)
{
	return cleared.other ? argument : NULL; // @CLEARED
}

/* Behind an ellipsis. */
int counted;
static __attribute__((noinline)) void count_all(int count, ...)
{
	va_list list;
	va_start(list, count);
	for (int i = 0; i < count; i++)
		++*va_arg(list, int *); // @VARIADIC1
	va_end(list);
}
THREAD(variadic_1)
{
	int mine = 0;
	count_all(2, &mine, &counted);
	return mine ? argument : NULL;
}
THREAD(variadic_2)
{
	counted = 0; // @VARIADIC2
	return NULL;
}

/* A pointer that went through a number. */
int numbered;
uintptr_t number;
THREAD(number_1)
{
	*(int *)number = 1; // @NUMBER1
	return NULL;
}
THREAD(number_2)
{
	return numbered ? argument : NULL; // @NUMBER2
}

/* A block that moved. */
int *grown;
THREAD(grown_1)
{
	grown[5] = 1; // @GROWN1
	return NULL;
}
THREAD(grown_2)
{
	return grown[5] ? argument : NULL; // @GROWN2
}

/* Through a parameter that is a pointer to a pointer. */
int *chosen;
int choice[2];
static __attribute__((noinline)) void choose(int **out)
{
	*out = &choice[1];
}
THREAD(chosen_1)
{
	*chosen = 1; // @CHOSEN1
	return NULL;
}
THREAD(chosen_2)
{
	return choice[1] ? argument : NULL; // @CHOSEN2
}

/* A tree of the library's: what is in it is met again by other calls. */
struct leaf {
	int key, visits;
} leaves[2];
void *tree;
static int compare_leaves(const void *left, const void *right)
{
	return ((const struct leaf *)left)->key - ((const struct leaf *)right)->key; // @LEAFKEY
}
static void visit(const void *node, VISIT order, int depth)
{
	(void)order;
	(void)depth;
	(*(struct leaf *const *)node)->visits++; // @LEAFVISIT
}
THREAD(tree_1)
{
	twalk(tree, visit);
	return NULL;
}
THREAD(tree_2)
{
	struct leaf wanted = { .key = 1 };
	struct leaf **found = tfind(&wanted, &tree, compare_leaves);
	if (found)
		(*found)->key = 2; // @LEAFSET
	return NULL;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		setter = set_2;
	BOTH(by_pointer_1, by_pointer_2);
	BOTH(table_1, table_2);
	qsort(sorted, 4, sizeof *sorted, compare);
	BOTH(sort_1, sort_1);
	items = &item.link;
	BOTH(container_1, container_2);
	BOTH(union_1, union_2);
	copy_bytes(&copy, &original, sizeof copy);
	BOTH(copied_1, copied_2);
	BOTH(cleared_1, cleared_2);
	BOTH(variadic_1, variadic_2);
	number = (uintptr_t)&numbered;
	BOTH(number_1, number_2);
	grown = malloc(4);
	grown = realloc(grown, 64);
	if (!grown)
		abort();
	grown[5] = 0;
	BOTH(grown_1, grown_2);
	choose(&chosen);
	BOTH(chosen_1, chosen_2);
	tsearch(&leaves[0], &tree, compare_leaves);
	tsearch(&leaves[1], &tree, compare_leaves);
	BOTH(tree_1, tree_1);
	BOTH(tree_2, tree_2);
	return 0;
}
/*
 * race: POINTER1-POINTER3
 * race: POINTER2-POINTER3
 * race: GET-PUT
 * race: COMPARED-COMPARED
 * race: CONTAINER1-CONTAINER2
 * race: UNION1-UNION2
 * race: COPIED1-COPIED2
 * race: COPY-CLEARED
 * race: VARIADIC1-VARIADIC2
 * race: NUMBER1-NUMBER2
 * race: GROWN1-GROWN2
 * race: CHOSEN1-CHOSEN2
 * race: LEAFVISIT-LEAFVISIT
 * race: LEAFKEY-LEAFSET
 * race: LEAFSET-LEAFSET
 */
