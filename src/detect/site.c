/* site.c: see site.h. */
#include "detect/site.h"

#define NUMBER_MAX ((1u << 21) - 1)
#define OBJECTS 256u

/* The last one that had a site looked up comes first. */
static struct range {
	const struct heddle_site *start;
	uint32_t count, first_number;
} ranges[OBJECTS];
static uint32_t range_count, last;
static uint32_t next_number = 1;

void site_add(const struct heddle_site *sites, const struct heddle_site *sites_end)
{
	uint32_t count = (uint32_t)(sites_end - sites);
	if (range_count == OBJECTS || count > NUMBER_MAX - next_number)
		return;
	ranges[range_count++] = (struct range){ sites, count, next_number };
	next_number += count;
}

uint32_t site_number(const struct heddle_site *site)
{
	for (uint32_t i = 0, at = last; i < range_count; i++, at = at + 1 < range_count ? at + 1 : 0) {
		const struct range *range = &ranges[at];
		if ((uintptr_t)site - (uintptr_t)range->start < range->count * sizeof *site) {
			last = at;
			return range->first_number + (uint32_t)(site - range->start);
		}
	}
	return 0;
}

const struct heddle_site *site_of(uint32_t number)
{
	for (uint32_t i = 0; i < range_count && number; i++)
		if (number - ranges[i].first_number < ranges[i].count)
			return ranges[i].start + (number - ranges[i].first_number);
	return 0;
}
