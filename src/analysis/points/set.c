/* set.c: see analysis/points/set.h. */
#include "analysis/points/set.h"

#include <stdlib.h>

#include "base/mem.h"

static void put(struct set *set, uint32_t item)
{
	uint32_t mask = set->slot_room - 1, at = set_hash(item) & mask;
	while (set->slots[at])
		at = (at + 1) & mask;
	set->slots[at] = item + 1;
}

/* The item is not in the set. */
bool set_add_slow(struct set *set, uint32_t item)
{
	if (set->count == set->room) {
		set->room = set->room ? set->room * 2 : 4;
		set->items = mem_resize(set->items, set->room * sizeof *set->items);
	}
	set->items[set->count++] = item;
	if (set->count <= SET_FEW)
		return true;
	if (set->count * 4 > set->slot_room * 3) {
		free(set->slots);
		set->slot_room = set->slot_room ? set->slot_room * 2 : 4 * SET_FEW;
		set->slots = mem_alloc(set->slot_room * sizeof *set->slots);
		for (uint32_t i = 0; i < set->count; i++)
			put(set, set->items[i]);
		return true;
	}
	put(set, item);
	return true;
}

bool set_has(const struct set *set, uint32_t item)
{
	if (!set->slots) {
		for (uint32_t i = 0; i < set->count; i++)
			if (set->items[i] == item)
				return true;
		return false;
	}
	uint32_t mask = set->slot_room - 1;
	for (uint32_t at = set_hash(item) & mask; set->slots[at]; at = (at + 1) & mask)
		if (set->slots[at] == item + 1)
			return true;
	return false;
}

void set_remove_first(struct set *set)
{
	struct set rest = { 0 };
	for (uint32_t i = 1; i < set->count; i++)
		set_add(&rest, set->items[i]);
	set_release(set);
	*set = rest;
}

void set_release(struct set *set)
{
	free(set->items);
	free(set->slots);
	*set = (struct set){ 0 };
}
