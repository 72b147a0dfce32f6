/*
 * site.h: numbers for sites, small enough for a word of the shadow. SITE_MANY stands for all others. 0 stands for
 * reads that are not in the source of the program.
 */
#ifndef DETECT_SITE_H
#define DETECT_SITE_H

#include "heddle/abi.h"

#define SITE_MANY ((1u << 21) - 1)

/* Of one object. numbers: by site, counted from start. */
struct site_range {
	const struct heddle_site *start;
	uint32_t count, first_number;
	uint32_t *numbers;
	uint8_t build[16];
};

extern struct site_range site_last; /* where the last one was found */

/* An object was loaded, replacing what was mapped there before; if that was the same object, its numbers stay. */
void site_add(const struct heddle_site *sites, const struct heddle_site *sites_end, const struct heddle_build *build);
uint32_t site_find_number(const struct heddle_site *site);

static inline uint32_t site_number(const struct heddle_site *site)
{
	size_t offset = (uintptr_t)site - (uintptr_t)site_last.start;
	return offset < site_last.count * sizeof *site ? site_last.numbers[offset / sizeof *site]
						       : site_find_number(site);
}
/* A number that identifies the site in every run of the same file, wherever that is mapped and whatever was loaded before it. */
uint64_t site_mark(uint32_t number);
/* Adds a note to the report when sites of some object have no numbers of their own. */
void site_report_limit(void);
/* Null for 0. */
const struct heddle_site *site_of(uint32_t number);

#endif
