/*
 * access.c: accesses of woven code under detection. As in world/access.c, they are first counted as events; then they
 * are looked up in the shadow. Most plain accesses never get here: see detect/entry.c.
 */
#include "detect/access.h"
#include "detect/detect.h"
#include "detect/finding.h"
#include "detect/instances.h"
#include "detect/maker.h"
#include "detect/shadow.h"
#include "detect/track.h"
#include "detect/watch.h"
#include "rt/option.h"
#include "rt/tally.h"

struct access_block access_blocks[ACCESS_BLOCKS];
/* Of the same blocks. A thread that finds a block here without asking the heap is ordered after its maker. */
static struct heap_maker makers[ACCESS_BLOCKS];

void access_switched(void)
{
	for (unsigned i = 0; i < ACCESS_BLOCKS; i++)
		if (!maker_is_before(makers[i]))
			access_blocks[i].size_bytes = 0;
}

void access_forget_blocks(uintptr_t start, size_t size_bytes)
{
	for (unsigned i = 0; i < ACCESS_BLOCKS; i++)
		if (start - access_blocks[i].start < access_blocks[i].size_bytes ||
		    access_blocks[i].start - start < size_bytes)
			access_blocks[i].size_bytes = 0;
}

/* The block is a live one. A race with its allocation is reported once: a thread that accesses it unordered does so at
 * many places. */
static void meet_maker(const struct heap_block *block, uintptr_t address, size_t size_bytes, enum shadow_kind kind,
		       const struct heddle_site *site)
{
	struct heap_maker maker = observed->heap_maker(block->start);
	if (!maker_is_before(maker)) {
		if (track_now->ignoring)
			return;
		finding_made(address, size_bytes, kind, site, maker, block->made);
		maker.time = 0;
		observed->heap_set_maker(block->start, maker);
	}
	*access_block_of(address) = (struct access_block){ (uintptr_t)block->start, block->size };
	makers[access_block_of(address) - access_blocks] = maker;
}

/* Heap memory that is not the program's is not looked up: accesses to it do not matter. */
static __attribute__((noinline)) bool is_good(uintptr_t address, size_t size_bytes, enum shadow_kind kind,
					      const struct heddle_site *site)
{
	struct heap_block block;
	if (observed->heap_find((void *)address, &block) && block.state == HEAP_LIVE &&
	    address - (uintptr_t)block.start + size_bytes <= block.size) {
		observed->heap_note((void *)address);
		meet_maker(&block, address, size_bytes, kind, site);
		return true;
	}
	finding_memory(address, size_bytes, kind == SHADOW_WRITE || kind == SHADOW_ATOMIC_WRITE, site);
	return false;
}

static inline __attribute__((always_inline)) void look(const volatile void *at, size_t size_bytes,
						       enum shadow_kind kind, const struct heddle_site *site)
{
	uintptr_t address = (uintptr_t)at;
	if (!detect.is_on)
		return;
	struct track *track = track_now;
	if (track->again.lock)
		track_settle(track);
	if (listener)
		listener->access(at, size_bytes, site, track->index + 1);
	if (detect.is_watching) {
		watch_done();
		watch_look(address, size_bytes, site);
		watch_memory(address, size_bytes, kind == SHADOW_WRITE || kind == SHADOW_ATOMIC_WRITE,
			     kind == SHADOW_ATOMIC_READ || kind == SHADOW_ATOMIC_WRITE, site);
		if (!track->ignoring)
			instances_look(address, size_bytes, kind, site);
	}
	uint64_t number = site_number(site);
	/* Reads that the program as it is written does not make have no number. */
	if (number && size_bytes &&
	    (access_is_known(address, size_bytes) || is_good(address, size_bytes, kind, site)) && !track->ignoring)
		shadow_access(address, size_bytes, kind, site, number);
}

static inline void decide_if_due(enum heddle_event_kind kind, const volatile void *address,
				 const struct heddle_site *site)
{
	if (TALLY->countdown < 0)
		observed->decide(kind, address, site);
}

void detect_quiet(const volatile void *address, size_t size_bytes, const struct heddle_site *site)
{
	look(address, size_bytes, site->access == HEDDLE_ACCESS_WRITE ? SHADOW_WRITE : SHADOW_READ, site);
}

void detect_touched(const volatile void *address, size_t size_bytes, const struct heddle_site *site)
{
	if (!detect.is_on || !detect.is_watching)
		return;
	watch_done();
	watch_memory((uintptr_t)address, size_bytes, site->access == HEDDLE_ACCESS_WRITE, false, site);
}

#define PLAIN(bytes)                                                                                                   \
	void detect_on_read_##bytes(const volatile void *address, const struct heddle_site *site)                      \
	{                                                                                                              \
		decide_if_due(HEDDLE_EVENT_READ, address, site);                                                       \
		look(address, bytes, SHADOW_READ, site);                                                               \
	}                                                                                                              \
	void detect_on_write_##bytes(const volatile void *address, const struct heddle_site *site)                     \
	{                                                                                                              \
		decide_if_due(HEDDLE_EVENT_WRITE, address, site);                                                      \
		look(address, bytes, SHADOW_WRITE, site);                                                              \
	}
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)
#undef PLAIN

static inline __attribute__((always_inline)) void on_range(const volatile void *address, size_t size, bool is_write,
							   const struct heddle_site *site)
{
	enum heddle_event_kind kind = is_write ? HEDDLE_EVENT_WRITE : HEDDLE_EVENT_READ;
	if (options_prove(site)) {
		if (observed->is_quiet_reported())
			detect_quiet(address, size, site);
		else
			detect_touched(address, size, site);
		observed->touch(kind, address, site);
		return;
	}
	observed->announce_range(kind, address, size, site);
	look(address, size, is_write ? SHADOW_WRITE : SHADOW_READ, site);
}

static void on_read_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	on_range(address, size, false, site);
}

static void on_write_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	on_range(address, size, true, site);
}

static void look_lanes(const volatile void *address, uint64_t lanes, enum shadow_kind kind,
		       const struct heddle_site *site)
{
	for (; lanes; lanes &= lanes - 1)
		look((const volatile char *)address + (size_t)__builtin_ctzl(lanes) * site->size, site->size, kind,
		     site);
}

static void on_read_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	observed->announce_range(HEDDLE_EVENT_READ, address, access_masked_bytes(lanes, site), site);
	look_lanes(address, lanes, SHADOW_READ, site);
}

static void on_write_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	observed->announce_range(HEDDLE_EVENT_WRITE, address, access_masked_bytes(lanes, site), site);
	look_lanes(address, lanes, SHADOW_WRITE, site);
}

/* No other thread runs between the announcement and the access. */
static void on_atomic_begin(const volatile void *address, const struct heddle_site *site)
{
	observed->announce_atomic(address, site);
	if (detect.is_watching && address)
		watch_atomic((uintptr_t)address, site->size);
}

static void on_atomic_end(const volatile void *address, const struct heddle_site *site, uint32_t is_done)
{
	unsigned order = site->order & 15, order_if_not = site->order >> 4;
	if (!detect.is_on || site->flags & HEDDLE_SITE_SINGLE_THREAD)
		return;
	switch ((enum heddle_access)site->access) {
	case HEDDLE_ACCESS_FENCE:
		track_settle(track_now);
		order_fence(order);
		return;
	case HEDDLE_ACCESS_ATOMIC_READ:
		look(address, site->size, SHADOW_ATOMIC_READ, site);
		order_atomic_read(address, site->size, order);
		return;
	case HEDDLE_ACCESS_ATOMIC_WRITE:
		look(address, site->size, SHADOW_ATOMIC_WRITE, site);
		order_atomic_write(address, site->size, order);
		return;
	case HEDDLE_ACCESS_ATOMIC_UPDATE:
	case HEDDLE_ACCESS_ATOMIC_EXCHANGE:
		look(address, site->size, is_done ? SHADOW_ATOMIC_WRITE : SHADOW_ATOMIC_READ, site);
		if (is_done)
			order_atomic_update(address, site->size, order);
		else
			order_atomic_read(address, site->size, order_if_not);
		return;
	case HEDDLE_ACCESS_NONE:
	case HEDDLE_ACCESS_READ:
	case HEDDLE_ACCESS_WRITE:
	case HEDDLE_ACCESS_OPAQUE:
	case HEDDLE_ACCESS_COUNT:
		return;
	}
}

void detect_hooks(struct heddle_hooks *hooks)
{
	hooks->read_range = on_read_range;
	hooks->write_range = on_write_range;
	hooks->read_masked = on_read_masked;
	hooks->write_masked = on_write_masked;
	hooks->atomic_begin = on_atomic_begin;
	hooks->atomic_end = on_atomic_end;
	hooks->atomic_again = observed->announce_again;
}
