/* ptrmap.h: pointers to pointers, the map for facts about IR values. Neither side is owned. Start with { 0 }. */
#ifndef BASE_PTRMAP_H
#define BASE_PTRMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slots.h"

struct ptrmap {
	struct map_slot *slots;
	size_t count, room;
};

/* Adds or replaces; key is not null. Returns true when the key was new. */
bool ptrmap_set(struct ptrmap *map, const void *key, void *value);

/* The value of key, or null; *is_found (may be null) distinguishes a null value from a missing key. */
void *ptrmap_get(const struct ptrmap *map, const void *key, bool *is_found);
void ptrmap_release(struct ptrmap *map);

#endif
