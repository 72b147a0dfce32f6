/*
 * heap.h: a queue of numbers, the first of which is taken next: a binary heap in the caller's array. is_before orders two of them;
 * everything is inlined, and so is a function that is named as is_before.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef bool heap_order(const void *context, uint32_t a, uint32_t b);

/* Adds a number to the count numbers that are there. The array has room for it. */
static inline __attribute__((always_inline)) void heap_add(uint32_t *items, uint32_t count, uint32_t item,
							   heap_order *is_before, const void *context)
{
	uint32_t at = count;
	for (; at && is_before(context, item, items[(at - 1) / 2]); at = (at - 1) / 2)
		items[at] = items[(at - 1) / 2];
	items[at] = item;
}

/* Takes the first of count numbers; one less is left. */
static inline __attribute__((always_inline)) uint32_t heap_take(uint32_t *items, uint32_t count, heap_order *is_before,
								const void *context)
{
	uint32_t first = items[0], last = items[--count], at = 0;
	for (uint32_t child = 1; child < count; child = 2 * at + 1) {
		if (child + 1 < count && is_before(context, items[child + 1], items[child]))
			child++;
		if (!is_before(context, items[child], last))
			break;
		items[at] = items[child];
		at = child;
	}
	items[at] = last;
	return first;
}

#endif
