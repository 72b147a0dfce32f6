/* map.c: see map.h. */
#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* FNV-1a; the keys are symbol names, not an adversary's choice of slot. */
static size_t hash_of(const void *key)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (const unsigned char *at = key; *at; at++)
		hash = (hash ^ *at) * 0x100000001b3u;
	return (size_t)(hash ^ (hash >> 32));
}

static bool is_same(const void *a, const void *b)
{
	return strcmp(a, b) == 0;
}

static struct map_slot *find(const struct map *map, const char *key)
{
	return slots_find(map->slots, map->room, key, hash_of, is_same);
}

bool map_set(struct map *map, const char *key, void *value)
{
	if (!key)
		BUG("a map gets a value without a key");
	struct map_slot *slot = slots_add(&map->slots, map->count, &map->room, key, hash_of, is_same);
	bool is_new = !slot->key;
	if (is_new) {
		slot->key = mem_copy_string(key);
		map->count++;
	}
	slot->value = value;
	return is_new;
}

const char *map_key(struct map *map, const char *key)
{
	if (!map_has(map, key))
		map_set(map, key, NULL);
	return find(map, key)->key;
}

void *map_get(const struct map *map, const char *key)
{
	return map->room ? find(map, key)->value : NULL;
}

bool map_has(const struct map *map, const char *key)
{
	return map->room && find(map, key)->key;
}

void map_release(struct map *map)
{
	for (size_t i = 0; i < map->room; i++)
		free((void *)map->slots[i].key);
	free(map->slots);
	*map = (struct map){ 0 };
}

void map_release_values(struct map *map, void (*free_value)(void *value))
{
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].key && map->slots[i].value)
			free_value(map->slots[i].value);
	map_release(map);
}
