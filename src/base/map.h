/*
 * map.h: strings to pointers. Open addressing; keys are copied, values belong to the caller. Not safe to share
 * between threads. Start with { 0 }.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slots.h"

struct map {
	struct map_slot *slots;
	size_t count, room;
};

/* Adds or replaces. Returns true when the key was new. */
bool map_set(struct map *map, const char *key, void *value);

/* The value of key, or null; map_has distinguishes a null value from a missing key. */
void *map_get(const struct map *map, const char *key);
bool map_has(const struct map *map, const char *key);

/* The map's own copy of key, added (with a null value) if it was not there. It lives until map_release. */
const char *map_key(struct map *map, const char *key);
void map_release(struct map *map);
/* The same, after free_value was called for each value that is not null. */
void map_release_values(struct map *map, void (*free_value)(void *value));

#endif
