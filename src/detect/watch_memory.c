/*
 * watch_memory.c: see watch.h: all accesses to bytes that the tool wants to know everything about, with their values and the locks of
 * the thread. A plain access is observed before it is made, so its line waits until the thread did something else.
 */
#include <string.h>

#include "detect/detect.h"
#include "detect/site.h"
#include "detect/track.h"
#include "detect/watch.h"
#include "rt/report.h"
#include "rt/tally.h"

#define MAX_LOCKS 8u

/* The access that is being made. */
static struct {
	const struct heddle_watch *watch; /* null: there is none */
	const struct heddle_site *site;
	bool is_write, is_atomic;
	uint32_t index; /* of the thread */
	uint64_t event, address, before;
	uint32_t lock_count;
	struct held locks[MAX_LOCKS];
} now;

static uint32_t line_count;

static uint64_t value_at(const struct heddle_watch *watch)
{
	uint64_t value = 0;
	memcpy(&value, (const void *)watch->address, watch->size);
	return value;
}

static const struct heddle_watch *find_watch(uintptr_t address, size_t size_bytes)
{
	const struct heddle_channel *channel = observed->channel;
	for (uint32_t i = 0; i < channel->watch_count && i < HEDDLE_WATCHES; i++) {
		const struct heddle_watch *watch = &channel->watches[i];
		if (watch->kind == HEDDLE_WATCH_MEMORY && watch->size && watch->size <= 8 &&
		    watch->address < address + size_bytes && address < watch->address + watch->size)
			return watch;
	}
	return NULL;
}

static void put_word(uint64_t number, unsigned base)
{
	report_put(" ");
	report_put_number(number, base);
}

void watch_memory_done(void)
{
	if (!now.watch)
		return;
	report_put("accessed");
	put_word((uint64_t)(now.watch - observed->channel->watches), 10);
	put_word(now.event, 10);
	put_word(now.index, 10);
	report_put(now.is_atomic ? (now.is_write ? " atomic-write" : " atomic-read")
				 : (now.is_write ? " write" : " read"));
	put_word((uintptr_t)now.site, 16);
	put_word(now.address, 16);
	put_word(now.before, 16);
	put_word(value_at(now.watch), 16);
	for (uint32_t i = 0; i < now.lock_count; i++) {
		put_word((uintptr_t)now.locks[i].lock, 16);
		report_put(now.locks[i].is_shared ? " shared" : " exclusive");
	}
	report_put("\n");
	now.watch = NULL;
}

void watch_memory(uintptr_t address, size_t size_bytes, bool is_write, bool is_atomic, const struct heddle_site *site)
{
	const struct track *track = track_now;
	const struct heddle_watch *watch = find_watch(address, size_bytes);
	if (!watch || !site_number(site) || line_count++ >= HEDDLE_ACCESSED)
		return;
	now.watch = watch;
	now.site = site;
	now.address = address;
	now.is_write = is_write;
	now.is_atomic = is_atomic;
	now.index = track->index;
	now.event = tally_events();
	now.lock_count = track->held_count < MAX_LOCKS ? track->held_count : MAX_LOCKS;
	for (uint32_t i = 0; i < now.lock_count; i++)
		now.locks[i] = track->held[i];
	if (!is_atomic || !watch_before_atomic(watch->address, watch->size, &now.before))
		now.before = value_at(watch);
	if (is_atomic)
		watch_memory_done();
}
