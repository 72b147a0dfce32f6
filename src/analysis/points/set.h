/*
 * set.h: sets of numbers in the order in which they were added, so that they can be iterated while they grow. A small
 * set is searched linearly, a larger one through an additional table. No item is ever UINT32_MAX. Start with { 0 }.
 */
#ifndef ANALYSIS_POINTS_SET_H
#define ANALYSIS_POINTS_SET_H

#include <stdbool.h>
#include <stdint.h>

struct set {
	uint32_t *items;
	uint32_t *slots; /* item + 1, or 0; null while there are few */
	uint32_t count, room, slot_room;
};

enum { SET_FEW = 8 };

bool set_add_slow(struct set *set, uint32_t item);
bool set_has(const struct set *set, uint32_t item);
/* Slow: the set is made anew. */
void set_remove_first(struct set *set);
void set_release(struct set *set);

static inline uint32_t set_hash(uint32_t item)
{
	uint32_t hash = item * 0x9e3779b1u;
	return hash ^ hash >> 15;
}

/* Returns whether it is new. */
static inline bool set_add(struct set *set, uint32_t item)
{
	if (!set->slots) {
		for (uint32_t i = 0; i < set->count; i++)
			if (set->items[i] == item)
				return false;
		return set_add_slow(set, item);
	}
	uint32_t mask = set->slot_room - 1;
	for (uint32_t at = set_hash(item) & mask;; at = (at + 1) & mask) {
		if (!set->slots[at])
			return set_add_slow(set, item);
		if (set->slots[at] == item + 1)
			return false;
	}
}

#endif
