/* ptrmap.c: see ptrmap.h. */
#include "base/ptrmap.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"

static size_t hash_of(const void *key)
{
	return (size_t)(((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20);
}

static bool is_same(const void *a, const void *b)
{
	return a == b;
}

bool ptrmap_set(struct ptrmap *map, const void *key, void *value)
{
	if (!key)
		BUG("a map gets a value without a key");
	struct map_slot *slot = slots_add(&map->slots, map->count, &map->room, key, hash_of, is_same);
	bool is_new = !slot->key;
	map->count += is_new;
	*slot = (struct map_slot){ key, value };
	return is_new;
}

void *ptrmap_get(const struct ptrmap *map, const void *key, bool *is_found)
{
	const struct map_slot *slot = map->room ? slots_find(map->slots, map->room, key, hash_of, is_same) : NULL;
	if (is_found)
		*is_found = slot && slot->key;
	return slot ? slot->value : NULL;
}

void ptrmap_release(struct ptrmap *map)
{
	free(map->slots);
	*map = (struct ptrmap){ 0 };
}
