/* ptrmap.c: see ptrmap.h. */
#include "base/ptrmap.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

static struct ptrmap_slot *find(struct ptrmap_slot *slots, size_t room, const void *key)
{
	size_t at = (size_t)(((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20) & (room - 1);
	while (slots[at].key && slots[at].key != key)
		at = (at + 1) & (room - 1);
	return &slots[at];
}

static void grow(struct ptrmap *map)
{
	size_t room = map->room ? map->room * 2 : 64;
	struct ptrmap_slot *slots = mem_alloc(room * sizeof *slots);
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].key)
			*find(slots, room, map->slots[i].key) = map->slots[i];
	free(map->slots);
	map->slots = slots;
	map->room = room;
}

bool ptrmap_set(struct ptrmap *map, const void *key, void *value)
{
	if (!key)
		BUG("a map gets a value without a key");
	if ((map->count + 1) * 2 > map->room)
		grow(map);
	struct ptrmap_slot *slot = find(map->slots, map->room, key);
	bool is_new = !slot->key;
	map->count += is_new;
	*slot = (struct ptrmap_slot){ key, value };
	return is_new;
}

void *ptrmap_get(const struct ptrmap *map, const void *key, bool *is_found)
{
	const struct ptrmap_slot *slot = map->room ? find(map->slots, map->room, key) : NULL;
	if (is_found)
		*is_found = slot && slot->key;
	return slot ? slot->value : NULL;
}

void ptrmap_release(struct ptrmap *map)
{
	free(map->slots);
	*map = (struct ptrmap){ 0 };
}
