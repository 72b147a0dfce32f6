/*
 * hot.c: see hot.h. A call of a plain access is made hot by its shortcut (world/shortcut.h).
 */
#include "world/schedule/hot.h"

#include <string.h>

#include "rt/option.h"
#include "world/parts.h"
#include "world/shortcut.h"

#define OBJECTS 256u

static struct {
	const struct heddle_object *header;
	const struct heddle_call *calls, *calls_end;
} objects[OBJECTS];
static uint32_t object_count;

static uint64_t sites[HEDDLE_HOT_SITES];
static uint32_t site_count;

bool hot_is(const struct heddle_site *site)
{
	uint32_t low = 0, high = site_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (sites[middle] < (uintptr_t)site)
			low = middle + 1;
		else
			high = middle;
	}
	return low < site_count && sites[low] == (uintptr_t)site;
}

void hot_announce(enum heddle_event_kind kind, const struct heddle_site *site)
{
	if (kind == HEDDLE_EVENT_ATOMIC || hot_is(site))
		world_slice(0);
}

/* An unloaded library took its tables with it. */
static bool is_present(const struct heddle_object *header)
{
	uint64_t magic;
	memcpy(&magic, HEDDLE_MAGIC, sizeof magic);
	return spin_look((uintptr_t)header->magic) == magic;
}

static void redirect(uint32_t number)
{
	int code = 0;
	if (!is_present(objects[number].header))
		return;
	for (const struct heddle_call *call = objects[number].calls; call < objects[number].calls_end; call++)
		if (hot_is(object_at(&call->site)) && !options_prove(object_at(&call->site)))
			code |= shortcut_make_hot(object_at(&call->after));
	if (code)
		report_note("threads cannot be switched at some accesses: their code cannot be modified", NULL);
}

void hot_attach(const struct object *object)
{
	/* What was at its place before is gone. */
	for (uint32_t i = 0; i < object_count; i++)
		if (objects[i].calls < object->calls_end && object->calls < objects[i].calls_end)
			objects[i--] = objects[--object_count];
	if (object_count == OBJECTS)
		return;
	objects[object_count].header = object->header;
	objects[object_count].calls = object->calls;
	objects[object_count].calls_end = object->calls_end;
	object_count++;
	if (site_count)
		redirect(object_count - 1);
}

void hot_start(void)
{
	const struct heddle_channel *channel = world.channel;
	site_count = channel->hot_count < HEDDLE_HOT_SITES ? channel->hot_count : HEDDLE_HOT_SITES;
	memcpy(sites, channel->hot, site_count * sizeof *sites);
	for (uint32_t i = 0; i < object_count && site_count; i++)
		redirect(i);
}
