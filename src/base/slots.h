/*
 * slots.h: the table of map.h and ptrmap.h: open addressing with linear steps, at most half full. What a key is, the functions say that
 * are given: they are known where these are inlined. For those two files only.
 */
#ifndef BASE_SLOTS_H
#define BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"

struct map_slot {
	const void *key; /* null: the slot is free */
	void *value;
};

#define SLOTS_LEAST 64u

typedef size_t slots_hash(const void *key);
typedef bool slots_same(const void *a, const void *b);

/* The slot that has the key, or the free one where it belongs. room is a power of two. */
static inline struct map_slot *slots_find(struct map_slot *slots, size_t room, const void *key, slots_hash *hash,
					  slots_same *is_same)
{
	size_t at = hash(key) & (room - 1);
	while (slots[at].key && !is_same(slots[at].key, key))
		at = (at + 1) & (room - 1);
	return &slots[at];
}

/* The same, after making room for a key that is not there yet. */
static inline struct map_slot *slots_add(struct map_slot **slots, size_t count, size_t *room, const void *key,
					 slots_hash *hash, slots_same *is_same)
{
	if ((count + 1) * 2 > *room) {
		const size_t larger = *room ? *room * 2 : SLOTS_LEAST;
		struct map_slot *moved = mem_alloc(larger * sizeof *moved);
		for (size_t i = 0; i < *room; i++)
			if ((*slots)[i].key)
				*slots_find(moved, larger, (*slots)[i].key, hash, is_same) = (*slots)[i];
		free(*slots);
		*slots = moved;
		*room = larger;
	}
	return slots_find(*slots, *room, key, hash, is_same);
}

#endif
