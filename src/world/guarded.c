/* guarded.c: see guarded.h. */
#include "world/guarded.h"

#include "heddle/events.h"
#include "world/access.h"
#include "world/kernel/clock.h"
#include "world/parts.h"
#include "world/schedule/hot.h"
#include "world/sync/sync.h"

#define PAIRS 256u

/* Pairs of this run that were not resolved. */
static struct {
	uint32_t key, count;
} unresolved[PAIRS];

static uint32_t *count_of(const struct heddle_guard_site *guarded, uint32_t previous)
{
	const uint32_t key = (uint32_t)guarded->place << 16 | previous;
	uint32_t at = key * 0x9e3779b1u % PAIRS;
	for (uint32_t i = 0; i < PAIRS; i++, at = (at + 1) % PAIRS)
		if (unresolved[at].key == key || !unresolved[at].key) {
			unresolved[at].key = key;
			return &unresolved[at].count;
		}
	return &unresolved[at].count;
}

/* Whether a thread waits for a lock that this one holds; not for its end. */
static bool is_awaited(const struct thread *self)
{
	for (uint32_t i = 0; i < world.live_count; i++) {
		const struct thread *other = world.live[i];
		if (other != self && other->state == THREAD_BLOCKED && heddle_event_takes_lock(other->kind) &&
		    sync_obstacle(other).owner == self->index)
			return true;
	}
	return false;
}

static void sleep_step(struct thread *self, uint64_t step_us)
{
	const bool kept = self->keeps_extended;
	self->keeps_extended = true;
	self->wait = (struct wait){ .kind = WAIT_SLEEP, .deadline_ns = clock_now() + step_us * 1000 };
	thread_block(self);
	self->keeps_extended = kept;
}

static enum heddle_violation_end stall(const struct heddle_guard_site *guarded, uintptr_t address, uint64_t begin_ns)
{
	const struct heddle_guard *settings = guardian->settings();
	struct thread *self = world.current;
	while (clock_now() - begin_ns < (uint64_t)settings->max_stall_us * 1000) {
		if (is_awaited(self))
			return HEDDLE_VIOLATION_WAITED;
		sleep_step(self, settings->step_us);
		if (guardian->access(address, guarded, self->index, false) == HEDDLE_GUARD_UNKNOWN)
			return HEDDLE_VIOLATION_RESOLVED;
	}
	return HEDDLE_VIOLATION_UNRESOLVED;
}

static void make(const struct heddle_guard_site *guarded, uintptr_t address)
{
	const uint32_t thread = world.current->index;
	const uint32_t previous = guardian->access(address, guarded, thread, false);
	if (previous == HEDDLE_GUARD_UNKNOWN)
		return;
	uint32_t *count = count_of(guarded, previous);
	const uint64_t begin_ns = clock_now();
	enum heddle_violation_end end = HEDDLE_VIOLATION_LOGGED;
	if (*count < guardian->settings()->unresolved_limit)
		end = stall(guarded, address, begin_ns);
	*count += end == HEDDLE_VIOLATION_UNRESOLVED;
	if (end != HEDDLE_VIOLATION_RESOLVED)
		guardian->access(address, guarded, thread, true);
	guardian->note(guarded, previous, end, (clock_now() - begin_ns) / 1000);
}

void guarded_make(const volatile void *address, size_t size_bytes, const struct heddle_site *site)
{
	const struct heddle_guard_site *guarded = guardian && world.is_on && address ? guardian->find(site) : NULL;
	uintptr_t at = (uintptr_t)address;
	const uintptr_t end = at + size_bytes;
	if (!guarded)
		return;
	make(guarded, at);
	at = (at & -(uintptr_t)HEDDLE_CELL_BYTES) + HEDDLE_CELL_BYTES;
	const bool is_range = site->flags & (HEDDLE_SITE_RANGE | HEDDLE_SITE_MASKED);
	for (uint32_t i = 1; is_range && at < end && i < HEDDLE_RANGE_CELLS; i++, at += HEDDLE_CELL_BYTES)
		make(guarded, at);
}

/* The event is counted here, so that a wait comes after its decision; the entry that follows counts it again, and decides nothing. */
static void before(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	if (!world.is_on)
		return;
	if (hot_is(site))
		world_slice(0);
	if (--TALLY->countdown < 0)
		access_decide(kind, address, site);
	guarded_make(address, site->size, site);
	TALLY->countdown++;
}

void guarded_read(const volatile void *address, const struct heddle_site *site)
{
	before(HEDDLE_EVENT_READ, address, site);
}

void guarded_write(const volatile void *address, const struct heddle_site *site)
{
	before(HEDDLE_EVENT_WRITE, address, site);
}

static void quiet(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	guarded_make(address, site->size, site);
	if (world.is_on)
		access_touch(kind, address, site);
}

void guarded_quiet_read(const volatile void *address, const struct heddle_site *site)
{
	quiet(HEDDLE_EVENT_READ, address, site);
}

void guarded_quiet_write(const volatile void *address, const struct heddle_site *site)
{
	quiet(HEDDLE_EVENT_WRITE, address, site);
}
