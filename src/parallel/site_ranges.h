/*
 * site_ranges.h: finds the attached object that a site belongs to, so that modes can number sites over all objects.
 * Writers hold the lock of registration. Any thread may read at any time without a lock: an item is complete before the
 * count includes it.
 */
#ifndef PARALLEL_SITE_RANGES_H
#define PARALLEL_SITE_RANGES_H

#include <stdint.h>

#include "rt/object.h"

#define SITE_RANGES 64u

struct site_range {
	const struct heddle_site *start, *end;
	uint32_t first; /* the number of the site at start */
};

struct site_ranges {
	uint32_t count;
	struct site_range items[SITE_RANGES];
};

/* Adds the object, or replaces an unloaded one that had the same addresses. Returns 0, or -1 if there is no room. */
int site_ranges_add(struct site_ranges *ranges, const struct object *object, uint32_t first);

/* Returns the number of the site, or 0 if it belongs to no attached object. */
static inline uint32_t site_ranges_number(const struct site_ranges *ranges, const struct heddle_site *site)
{
	/* Acquire: partner of the release in site_ranges_add. */
	uint32_t count = __atomic_load_n(&ranges->count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count; i++) {
		const struct site_range *range = &ranges->items[i];
		if (site >= range->start && site < range->end)
			return range->first + (uint32_t)(site - range->start);
	}
	return 0;
}

#endif
