/* watch.c: see watch.h. */
#include "detect/watch.h"

#include <string.h>

#include "detect/detect.h"
#include "detect/finding.h"
#include "detect/instances.h"
#include "detect/order.h"
#include "detect/site.h"
#include "detect/track.h"
#include "rt/report.h"
#include "rt/tally.h"

/* Bytes of a stack to report: the minimum, and the maximum if there is room. */
#define STACK_LEAST_BYTES 4096u
#define STACK_MAX_BYTES 65536u

static bool is_seen[HEDDLE_WATCHES];
static uint32_t seen_count;

/* What will be at addresses when the access is made. */
static struct pending {
	uint32_t watch, size;
	uintptr_t address;
	uint64_t before;
} pending[HEDDLE_WATCHES]; /* one copy of a block may be in all of them */
static uint32_t pending_count;

/* A filter, so that an access that no watch is about need not be compared with all of them: by kind, a bit for each hash of what
 * a watch is found by. */
#define FILTER_BITS 4096u
static uint64_t filter[HEDDLE_WATCH_KINDS][FILTER_BITS / 64];

static uint32_t filter_bit(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15ul >> 52) % FILTER_BITS;
}

static bool is_wanted(enum heddle_watch_kind kind, uint64_t key)
{
	uint32_t bit = filter_bit(key);
	return filter[kind][bit / 64] >> bit % 64 & 1;
}

/* What was at an address before the atomic access that is looked at behind it. */
static struct {
	uintptr_t address;
	size_t size_bytes; /* 0: there is none */
	unsigned char bytes[16];
} atomic;

void watch_start(void)
{
	const struct heddle_channel *channel = observed->channel;
	detect.is_watching = channel->watch_count > 0 || instances_start();
	for (uint32_t i = 0; i < channel->watch_count && i < HEDDLE_WATCHES; i++) {
		const struct heddle_watch *watch = &channel->watches[i];
		uint32_t bit = filter_bit(watch->kind == HEDDLE_WATCH_ACCESS ? watch->address / 8 : watch->number);
		if (watch->kind < HEDDLE_WATCH_KINDS)
			filter[watch->kind][bit / 64] |= 1ul << bit % 64;
	}
}

static uint64_t value_at(uintptr_t address, uint32_t size)
{
	uint64_t value = 0;
	memcpy(&value, (const void *)address, size <= sizeof value ? size : sizeof value);
	return value;
}

static void put_value(uint32_t watch, uint64_t before, uint64_t after)
{
	report_put("value");
	report_put_word(watch, 10);
	report_put_word(before, 16);
	report_put_word(after, 16);
	report_put("\n");
}

void watch_done(void)
{
	for (uint32_t i = 0; i < pending_count; i++)
		put_value(pending[i].watch, pending[i].before, value_at(pending[i].address, pending[i].size));
	pending_count = 0;
	watch_memory_done();
}

void watch_atomic(uintptr_t address, size_t size_bytes)
{
	atomic.address = address;
	atomic.size_bytes = size_bytes <= sizeof atomic.bytes ? size_bytes : 0;
	memcpy(atomic.bytes, (const void *)address, atomic.size_bytes);
}

bool watch_before_atomic(uintptr_t address, size_t size_bytes, uint64_t *value)
{
	const uint64_t offset = address - atomic.address;
	if (offset >= atomic.size_bytes)
		return false;
	const size_t left = atomic.size_bytes - offset;
	*value = 0;
	memcpy(value, atomic.bytes + offset, left < size_bytes ? left : size_bytes);
	return true;
}

static void put_block(uint32_t watch, uintptr_t address)
{
	struct heap_block block;
	if (!observed->heap_find((const void *)address, &block) || block.state == HEAP_NEVER)
		return;
	report_put("block");
	report_put_word(watch, 10);
	report_put_word((uintptr_t)block.start, 16);
	report_put_word(block.size, 10);
	report_put(block.state == HEAP_LIVE ? " live" : " freed");
	report_put_word(block.made, 10);
	report_put_word(block.freed, 10);
	report_put("\n");
}

static void put_callers(uint32_t number)
{
	const uint64_t *addresses;
	uint32_t count = observed->callers_of(number, &addresses);
	for (uint32_t i = 0; i < count; i++)
		report_put_word(addresses[i], 16);
}

/* How much of a stack is reported, at two digits a byte: an equal part of the room that is left for this and the watches that are not seen yet,
 * of which a third is for what is not a stack. */
static size_t stack_bytes(void)
{
	const struct heddle_channel *channel = observed->channel;
	uint32_t left = channel->watch_count > seen_count ? channel->watch_count - seen_count : 0;
	size_t bytes = (HEDDLE_WATCH_ROOM - channel->report_used) / 3 / (left + 1);
	return bytes < STACK_LEAST_BYTES ? STACK_LEAST_BYTES : bytes < STACK_MAX_BYTES ? bytes : STACK_MAX_BYTES;
}

static void report(uint32_t number)
{
	const struct heddle_watch *watch = &observed->channel->watches[number];
	const struct track *track = track_now;
	if (is_seen[number])
		return;
	is_seen[number] = true;
	seen_count++;
	report_put("seen");
	report_put_word(number, 10);
	report_put_word(tally_events(), 10);
	report_put_word(track_now->index, 10);
	report_put("\n");
	observed->report_beginning();
	for (uint32_t i = 0; i < track->held_count; i++) {
		report_put("held");
		report_put_word(number, 10);
		report_put_word((uintptr_t)track->held[i].lock, 16);
		report_put_word(track->held[i].code, 16);
		report_put_word(track->held[i].event, 10);
		report_put(track->held[i].is_shared ? " shared" : " exclusive");
		put_callers(track->held[i].callers);
		report_put("\n");
	}
	if (watch->address)
		put_block(number, watch->address);
	observed->report_stack("stackof", number, stack_bytes());
	observed->report_modules();
}

static bool is_atomic(const struct heddle_site *site)
{
	return site && site->access >= HEDDLE_ACCESS_ATOMIC_READ && site->access <= HEDDLE_ACCESS_ATOMIC_EXCHANGE;
}

static void report_value(uint32_t number, const struct heddle_site *site)
{
	const struct heddle_watch *watch = &observed->channel->watches[number];
	if (is_seen[number] || !watch->address || !watch->size || watch->size > 8 ||
	    pending_count == sizeof pending / sizeof *pending)
		return;
	uint64_t value = value_at(watch->address, watch->size), before;
	if (is_atomic(site) && watch_before_atomic(watch->address, watch->size, &before)) {
		put_value(number, before, value);
		return;
	}
	pending[pending_count++] = (struct pending){ number, watch->size, watch->address, value };
}

void watch_look(uintptr_t address, size_t size_bytes, const struct heddle_site *site)
{
	if (!is_wanted(HEDDLE_WATCH_EVENT, tally_events()))
		return;
	for (uint32_t i = 0; i < observed->channel->watch_count && i < HEDDLE_WATCHES; i++) {
		const struct heddle_watch *watch = &observed->channel->watches[i];
		if (watch->kind != HEDDLE_WATCH_EVENT || watch->number != tally_events())
			continue;
		if (watch->place && site_number((const struct heddle_site *)watch->place) != site_number(site))
			continue;
		if (watch->address >= address && watch->address < address + size_bytes)
			report_value(i, site);
		report(i);
	}
}

void watch_entered(uintptr_t address, uint64_t word, const struct heddle_site *site)
{
	uint64_t epoch = word >> WORD_SLOT_SHIFT & ((1ul << (WORD_SITE_SHIFT - WORD_SLOT_SHIFT)) - 1);
	uintptr_t cell = address & ~7ul;
	if (!is_wanted(HEDDLE_WATCH_ACCESS, cell / 8))
		return;
	for (uint32_t i = 0; i < observed->channel->watch_count && i < HEDDLE_WATCHES; i++) {
		const struct heddle_watch *watch = &observed->channel->watches[i];
		uint64_t distance = watch->address - cell;
		if (watch->kind != HEDDLE_WATCH_ACCESS || watch->epoch != epoch || distance >= 8 ||
		    !(word >> distance & 1))
			continue;
		if (watch->place && site_number((const struct heddle_site *)watch->place) != site_number(site))
			continue;
		report_value(i, site);
		report(i);
	}
}

static void report_number(enum heddle_watch_kind kind, uint64_t number)
{
	for (uint32_t i = 0; is_wanted(kind, number) && i < observed->channel->watch_count && i < HEDDLE_WATCHES; i++)
		if (observed->channel->watches[i].kind == kind && observed->channel->watches[i].number == number)
			report(i);
}

void watch_heap(void)
{
	report_number(HEDDLE_WATCH_HEAP, observed->heap_calls());
}

void watch_free(uintptr_t start, size_t size_bytes)
{
	if (!is_wanted(HEDDLE_WATCH_FREE, tally_events()))
		return;
	for (uint32_t i = 0; i < observed->channel->watch_count && i < HEDDLE_WATCHES; i++) {
		const struct heddle_watch *watch = &observed->channel->watches[i];
		if (watch->kind == HEDDLE_WATCH_FREE && watch->number == tally_events() &&
		    watch->address - start < size_bytes)
			report(i);
	}
}

void watch_bad_free(void)
{
	report_number(HEDDLE_WATCH_BAD_FREE, 0);
}

uint32_t watch_callers(void)
{
	return observed->callers_here();
}

void watch_locked(const volatile void *lock)
{
	if (!is_wanted(HEDDLE_WATCH_LOCK, tally_events()))
		return;
	for (uint32_t i = 0; i < observed->channel->watch_count && i < HEDDLE_WATCHES; i++) {
		const struct heddle_watch *watch = &observed->channel->watches[i];
		if (watch->kind == HEDDLE_WATCH_LOCK && watch->number == tally_events() &&
		    watch->address == (uintptr_t)lock)
			report(i);
	}
}

void watch_thread(uint32_t index)
{
	report_number(HEDDLE_WATCH_THREAD, index);
}
