/* map.c: see map.h. */
#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* FNV-1a; the keys are symbol names, not an adversary's choice of slot. */
static size_t hash_of(const char *key)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
	return (size_t)(hash ^ (hash >> 32));
}

static struct map_slot *find(struct map_slot *slots, size_t room, const char *key)
{
	size_t at = hash_of(key) & (room - 1);
	while (slots[at].key && strcmp(slots[at].key, key) != 0)
		at = (at + 1) & (room - 1);
	return &slots[at];
}

static void grow(struct map *map)
{
	size_t room = map->room ? map->room * 2 : 64;
	struct map_slot *slots = mem_alloc(room * sizeof *slots);
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].key)
			*find(slots, room, map->slots[i].key) = map->slots[i];
	free(map->slots);
	map->slots = slots;
	map->room = room;
}

bool map_set(struct map *map, const char *key, void *value)
{
	if (!key)
		BUG("a map gets a value without a key");
	if ((map->count + 1) * 2 > map->room)
		grow(map);
	struct map_slot *slot = find(map->slots, map->room, key);
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
	return find(map->slots, map->room, key)->key;
}

void *map_get(const struct map *map, const char *key)
{
	return map->room ? find(map->slots, map->room, key)->value : NULL;
}

bool map_has(const struct map *map, const char *key)
{
	return map->room && find(map->slots, map->room, key)->key;
}

void map_release(struct map *map)
{
	for (size_t i = 0; i < map->room; i++)
		free(map->slots[i].key);
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
