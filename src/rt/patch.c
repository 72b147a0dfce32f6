/*
 * patch.c: see patch.h. The protection of the code is lifted once for all functions of an object and put back to what
 * it was, mapping by mapping, so that segments which share pages with the code keep theirs.
 */
#include "rt/patch.h"

#include <string.h>

#include "rt/entry.h"
#include "rt/message.h"
#include "rt/option.h"
#include "rt/sys.h"

typedef uint64_t word __attribute__((aligned(1), may_alias));

/* Writable and still executable, because another thread may already run in these pages; where a policy refuses that,
 * writable only. */
static int make_writable(const struct object *object)
{
	for (unsigned i = 0; i < object->range_count; i++) {
		const struct object_range *range = &object->ranges[i];
		size_t size = range->end - range->start;
		int code = sys_mprotect(range->start, size, range->protection | PROT_WRITE);
		if (code)
			code = sys_mprotect(range->start, size, PROT_READ | PROT_WRITE);
		if (code) {
			while (i-- > 0)
				sys_mprotect(object->ranges[i].start, object->ranges[i].end - object->ranges[i].start,
					     object->ranges[i].protection);
			rt_off(RT_TEXT_NOT_WRITABLE, object->path, code);
			return -1;
		}
	}
	return 0;
}

static void restore(const struct object *object)
{
	for (unsigned i = 0; i < object->range_count; i++)
		sys_mprotect(object->ranges[i].start, object->ranges[i].end - object->ranges[i].start,
			     object->ranges[i].protection);
}

static const struct object_range *range_of(const struct object *object, uintptr_t at)
{
	for (unsigned i = 0; i < object->range_count; i++)
		if (at >= object->ranges[i].start && at < object->ranges[i].end)
			return &object->ranges[i];
	return NULL;
}

/* One 8-byte store, so that a thread that runs here sees the NOP or the jump (as far as a cache line goes). */
static void write_jump(uint8_t *entry, const struct object_range *range, int32_t distance)
{
	uint8_t *window = entry;
	if ((uintptr_t)window + 8 > range->end)
		window = entry - 3;
	word bytes = *(const word *)window;
	uint8_t *jump = (uint8_t *)&bytes + (entry - window);
	jump[0] = ENTRY_JUMP;
	memcpy(jump + 1, &distance, sizeof distance);
	*(volatile word *)window = bytes;
}

enum entry_state { ENTRY_SWITCHED, ENTRY_FOLDED, ENTRY_UNKNOWN };

static enum entry_state switch_function(const struct object *object, const struct heddle_function *function)
{
	uintptr_t at = (uintptr_t)object_at(&function->original);
	uintptr_t clone = (uintptr_t)object_at(&function->clone);
	const struct object_range *range = range_of(object, at);
	if (!range || range->end - at < sizeof entry_endbr64 + sizeof entry_nop + 3)
		return ENTRY_UNKNOWN;
	uint8_t *entry = (uint8_t *)at;
	if (memcmp(entry, entry_endbr64, sizeof entry_endbr64) == 0)
		entry += sizeof entry_endbr64;
	int64_t distance = (int64_t)(clone - ((uintptr_t)entry + 5));
	if (distance != (int32_t)distance)
		return ENTRY_UNKNOWN;
	if (memcmp(entry, entry_nop, sizeof entry_nop) == 0) {
		write_jump(entry, range, (int32_t)distance);
		return ENTRY_SWITCHED;
	}
	if (entry[0] != ENTRY_JUMP)
		return ENTRY_UNKNOWN;
	int32_t written;
	memcpy(&written, entry + 1, sizeof written);
	if (written == distance)
		return ENTRY_FOLDED;
	/* A jump to a clone of a function folded with this one. Rare enough to search for. */
	uintptr_t target = (uintptr_t)entry + 5 + (uintptr_t)(intptr_t)written;
	for (const struct heddle_function *other = object->functions; other < object->functions_end; other++)
		if (target == (uintptr_t)object_at(&other->clone))
			return ENTRY_FOLDED;
	return ENTRY_UNKNOWN;
}

/* Threads may wait for each other by these alone. */
static bool has_atomics(const struct heddle_function *function)
{
	const struct heddle_site *sites = object_at(&function->sites);
	for (uint32_t i = 0; sites && i < function->site_count; i++)
		if (sites[i].access >= HEDDLE_ACCESS_ATOMIC_READ)
			return true;
	return false;
}

static bool is_selected(const struct object *object, const struct heddle_function *function, patch_selects *selects)
{
	if (selects)
		return selects(object, function);
	return options_selects(object_at(&function->name)) || (options.selects_atomics && has_atomics(function));
}

int patch_object(const struct object *object, patch_selects *selects, struct patch_result *result)
{
	bool is_writable = false;
	*result = (struct patch_result){ 0 };
	for (const struct heddle_function *f = object->functions; f < object->functions_end; f++) {
		if (!f->original || !f->clone || f->plain != HEDDLE_PLAIN_NOT || !f->name ||
		    !is_selected(object, f, selects))
			continue;
		if (!is_writable && make_writable(object) < 0)
			return -1;
		is_writable = true;
		enum entry_state state = switch_function(object, f);
		result->switched_count += state == ENTRY_SWITCHED;
		result->folded_count += state == ENTRY_FOLDED;
		result->skipped_count += state == ENTRY_UNKNOWN;
	}
	if (is_writable)
		restore(object);
	return 0;
}

bool patch_is_allowed(void)
{
	const size_t size = 4096;
	long page = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool is_allowed = !sys_failed(page) && !sys_mprotect((uintptr_t)page, size, PROT_READ | PROT_EXEC);
	if (!sys_failed(page))
		sys_munmap((void *)page, size);
	return is_allowed;
}
