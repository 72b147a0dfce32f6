/* maker.c: see maker.h. The code that asks for a block is identified by address ranges, each looked up once. */
#include "detect/maker.h"

#include <string.h>

#include "detect/detect.h"
#include "detect/track.h"
#include "rt/maps.h"
#include "rt/object.h"
#include "rt/text.h"

#define RANGES 512u
#define KNOWN_CODES 64u

static struct range {
	uintptr_t start, end;
	bool is_counted;
} ranges[RANGES];
static uint32_t range_count;

/* What was found last, by the code. */
static struct {
	uintptr_t code;
	bool is_counted;
} known[KNOWN_CODES];

static void add_range(uintptr_t start, uintptr_t end, bool is_counted)
{
	uint32_t at = 0;
	while (at < range_count && (ranges[at].start >= end || start >= ranges[at].end))
		at++;
	if (at == RANGES)
		return;
	/* What was there before is gone. */
	ranges[at] = (struct range){ start, end, is_counted };
	range_count += at == range_count;
	memset(known, 0, sizeof known);
}

void maker_add_object(const struct object *object)
{
	add_range((uintptr_t)object->clones, (uintptr_t)object->clones_end, true);
	for (unsigned i = 0; i < object->range_count; i++)
		add_range(object->ranges[i].start, object->ranges[i].end, true);
}

static bool is_counted_library(const char *path)
{
	const char *name = text_file_name(path);
	return text_after(name, "libc.so") || text_after(name, "libc-2") || text_after(name, "libstdc++.so") ||
	       text_after(name, "libc++.so") || text_after(name, "libc++abi.so");
}

struct search {
	uintptr_t code;
	bool is_counted;
};

static void find_code(void *data, const struct maps_entry *entry)
{
	struct search *search = data;
	if (search->code < entry->start || search->code >= entry->end)
		return;
	search->is_counted = is_counted_library(entry->path);
	add_range(entry->start, entry->end, search->is_counted);
}

static __attribute__((noinline)) bool find_counted(uintptr_t code)
{
	struct search search = { .code = code };
	for (uint32_t i = 0; i < range_count; i++)
		if (code >= ranges[i].start && code < ranges[i].end)
			return ranges[i].is_counted;
	maps_read(find_code, &search);
	return search.is_counted;
}

static bool is_counted(uintptr_t code)
{
	uint32_t at = (uint32_t)(code * 0x9e3779b97f4a7c15ul >> 58);
	if (known[at].code != code) {
		bool result = find_counted(code);
		known[at].code = code;
		known[at].is_counted = result;
	}
	return known[at].is_counted;
}

/* A thread that is alone is ordered before all threads that are made later. */
void detect_block_made(const void *block, uintptr_t code)
{
	struct heap_maker maker = { 0, 0 };
	if (track_count > 1 && !track_now->ignoring && is_counted(code)) {
		maker = (struct heap_maker){ detect.epoch, code };
		order_now->has_accessed = true;
	}
	observed->heap_set_maker(block, maker);
}
