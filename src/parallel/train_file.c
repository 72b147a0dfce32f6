/* train_file.c: see train_file.h. */
#include "parallel/train_file.h"

#include <stdbool.h>
#include <string.h>

#include "parallel/history.h"
#include "parallel/shared_file.h"
#include "parallel/site_ranges.h"
#include "rt/message.h"
#include "rt/option.h"

static struct heddle_train *train;
static struct site_ranges ranges;

static uint32_t enter_object(const struct object *object)
{
	uint32_t site_count = (uint32_t)(object->sites_end - object->sites);
	uint32_t count = __atomic_load_n(&train->object_count, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < count && i < HEDDLE_GUARD_OBJECTS; i++) {
		const struct heddle_train_object *old = &train->objects[i];
		/* Acquire: partner of the release below, maybe of another process. */
		if (__atomic_load_n(&old->is_ready, __ATOMIC_ACQUIRE) && old->site_count == site_count &&
		    memcmp(old->build, object->build->id, sizeof old->build) == 0 &&
		    memcmp(old->path, object->path, sizeof old->path) == 0)
			return old->first;
	}
	uint32_t index = __atomic_fetch_add(&train->object_count, 1, __ATOMIC_RELAXED);
	if (index >= HEDDLE_GUARD_OBJECTS)
		return 0;
	struct heddle_train_object *entry = &train->objects[index];
	entry->site_count = site_count;
	entry->first = 1 + __atomic_fetch_add(&train->site_count, site_count, __ATOMIC_RELAXED);
	memcpy(entry->build, object->build->id, sizeof entry->build);
	memcpy(entry->path, object->path, sizeof entry->path);
	/* Release: partner of the acquire above and of the reader's. */
	__atomic_store_n(&entry->is_ready, 1, __ATOMIC_RELEASE);
	return entry->first;
}

int train_file_enter(const struct object *object)
{
	static bool is_noted;
	if (!is_noted)
		__atomic_fetch_add(&train->process_count, 1, __ATOMIC_RELAXED);
	is_noted = true;
	uint32_t first = enter_object(object);
	return first && site_ranges_add(&ranges, object, first) == 0 ? 0 : -1;
}

uint32_t train_file_number(const struct heddle_site *site)
{
	return site_ranges_number(&ranges, site);
}

_Static_assert(HEDDLE_RANGE_CELLS <= 64, "a word has a bit for each cell of a range");

uint64_t train_file_access_range(uintptr_t address, size_t size_bytes, uint32_t number, uint32_t thread)
{
	uintptr_t at = address & -(uintptr_t)HEDDLE_CELL_BYTES, end = address + size_bytes;
	uint64_t waiting = 0;
	if (end < at)
		return 0;
	for (uint32_t i = 0; at < end && i < HEDDLE_RANGE_CELLS; i++, at += HEDDLE_CELL_BYTES)
		waiting |= (uint64_t)history_access(at, number, thread) << i;
	return waiting;
}

int train_file_open(struct heddle_train **file)
{
	void *at = NULL;
	size_t size;
	int code = shared_file_map(options.train_path, HEDDLE_TRAIN_MAGIC, sizeof *train, true, &at, &size);
	if (code == 0) {
		*file = train = at;
		code = history_start(train);
	}
	if (code < 0)
		rt_off(RT_TRAIN_FILE, options.train_path[0] ? options.train_path : NULL, code);
	return code;
}
