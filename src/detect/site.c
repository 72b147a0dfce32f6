/*
 * site.c: see site.h. Sites that were written at one place and do the same to one variable have one number: copies that the compiler made
 * by unrolling and the like are one thing to people, and their accesses need one word of the shadow.
 */
#include "detect/site.h"

#include <string.h>

#include "rt/object.h"
#include "rt/observe.h"
#include "rt/report.h"

#define OBJECTS 256u

struct site_range site_last;
static struct site_range ranges[OBJECTS];
static uint32_t range_count;
static uint32_t next_number = 1;
static bool is_full;

/* All accesses of a macro have the place where it is used, so places alone do not tell its variables apart. */
static bool is_same_variable(const struct heddle_site *a, const struct heddle_site *b)
{
	const char *first = object_at(&a->variable), *second = object_at(&b->variable);
	return first == second || (first && second && strcmp(first, second) == 0);
}

static bool is_same(const struct heddle_site *a, const struct heddle_site *b)
{
	return a->line == b->line && a->column == b->column && a->access == b->access && a->order == b->order &&
	       a->size == b->size && object_at(&a->file) == object_at(&b->file) &&
	       object_at(&a->function) == object_at(&b->function) && object_at(&a->inlined) == object_at(&b->inlined) &&
	       is_same_variable(a, b);
}

/*
 * The optimiser may hoist a read to a path on which the source program does not read; the result is unused there. It
 * then drops the line (LLVM, "How to Update Debug Info", on moving). So a plain read without a line, in a function that
 * has one, is not considered a read of the program. Without any debug information such reads cannot be recognised.
 */
static bool is_speculative(const struct heddle_site *site)
{
	const struct heddle_function *function = object_at(&site->function);
	return site->access == HEDDLE_ACCESS_READ && !site->line && function && function->line;
}

static uint32_t hash_of(const struct heddle_site *site)
{
	uint64_t hash = (uintptr_t)object_at(&site->function) ^ (uint64_t)site->line << 32 ^
			(uint64_t)site->column << 16 ^ (uint64_t)site->access << 8 ^ site->size;
	return (uint32_t)(hash * 0x9e3779b97f4a7c15ul >> 32);
}

static bool is_known(const struct heddle_site *sites, uint32_t count, const struct heddle_build *build)
{
	for (uint32_t i = 0; i < range_count; i++) {
		struct site_range *range = &ranges[i];
		if (range->start >= sites + count || sites >= range->start + range->count)
			continue;
		if (range->start == sites && range->count == count &&
		    memcmp(range->build, build->id, sizeof range->build) == 0)
			return true;
		site_last.count = 0;
		ranges[i--] = ranges[--range_count];
	}
	return false;
}

void site_add(const struct heddle_site *sites, const struct heddle_site *sites_end, const struct heddle_build *build)
{
	uint32_t count = (uint32_t)(sites_end - sites), room = 64;
	if (is_known(sites, count, build))
		return;
	if (!count)
		return;
	if (range_count == OBJECTS || count >= SITE_MANY - next_number) {
		is_full = true;
		return;
	}
	while (room < 2 * count)
		room *= 2;
	uint32_t *numbers = observed->pages(count * sizeof *numbers), *table = observed->pages(room * sizeof *table);
	if (!numbers || !table)
		return;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = hash_of(&sites[i]) & (room - 1);
		while (table[at] && (!sites[i].line || !is_same(&sites[table[at] - 1], &sites[i])))
			at = (at + 1) & (room - 1);
		if (!table[at])
			table[at] = i + 1;
		numbers[i] = is_speculative(&sites[i]) ? 0 : next_number + table[at] - 1;
	}
	ranges[range_count] = (struct site_range){ sites, count, next_number, numbers, { 0 } };
	memcpy(ranges[range_count++].build, build->id, sizeof build->id);
	next_number += count;
}

uint32_t site_find_number(const struct heddle_site *site)
{
	for (uint32_t i = 0; i < range_count; i++) {
		if ((uintptr_t)site - (uintptr_t)ranges[i].start >= ranges[i].count * sizeof *site)
			continue;
		site_last = ranges[i];
		return site_last.numbers[site - site_last.start];
	}
	return SITE_MANY;
}

const struct heddle_site *site_of(uint32_t number)
{
	for (uint32_t i = 0; i < range_count && number; i++)
		if (number - ranges[i].first_number < ranges[i].count)
			return ranges[i].start + (number - ranges[i].first_number);
	return 0;
}

uint64_t site_mark(uint32_t number)
{
	for (uint32_t i = 0; i < range_count && number; i++)
		if (number - ranges[i].first_number < ranges[i].count) {
			uint64_t build[2];
			memcpy(build, ranges[i].build, sizeof build);
			return build[0] ^ build[1] * 31 ^ (number - ranges[i].first_number) * 0x9e3779b97f4a7c15ul;
		}
	return number;
}

void site_report_limit(void)
{
	if (is_full)
		report_missed("more than 256 woven libraries, or 2 million sites: races among the rest are no "
			      "longer distinguished");
}
