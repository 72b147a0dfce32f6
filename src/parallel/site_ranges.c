/* site_ranges.c: see site_ranges.h. */
#include "parallel/site_ranges.h"

int site_ranges_add(struct site_ranges *ranges, const struct object *object, uint32_t first)
{
	struct site_range range = { object->sites, object->sites_end, first };
	for (uint32_t i = 0; i < ranges->count; i++) {
		struct site_range *old = &ranges->items[i];
		if (old->start >= range.end || old->end <= range.start)
			continue;
		/* No thread runs code of what was there: it was unloaded. */
		*old = range;
		return 0;
	}
	if (ranges->count == SITE_RANGES)
		return -1;
	ranges->items[ranges->count] = range;
	/* Release: partner of the acquire in site_ranges_number. */
	__atomic_store_n(&ranges->count, ranges->count + 1, __ATOMIC_RELEASE);
	return 0;
}
