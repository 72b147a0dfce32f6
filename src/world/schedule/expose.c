/*
 * expose.c: tries to break an order that a training has always seen: that an access comes after another one, of another thread (Zhang and others, IEEE
 * TSE 2016, exposing). The thread that is about to make the first access is held back until another thread has made the second one to the same
 * memory; or, in a schedule that repeats such a one, before the earliest lock that it had then, as the other thread may need that lock.
 *
 * Invariants:
 *  1. Holding back causes no failure that the program does not have: see hold.h.
 *     Assured by tests/cli/expose.t.
 *  2. HEDDLE_HOLD_MADE is reported only if the second access was made before the first one to the same cell.
 *     Assured by tests/cli/expose.t.
 *
 * Others run one after the other, in an order of the seed's, without preemption; with an odd depth at random. The places are in the list of lock
 * pairs: first_code and second_code are addresses of struct heddle_site. hold.event: when to hold the thread that runs then.
 */
#include "world/schedule/expose.h"

#include "heddle/events.h"
#include "rt/observe.h"
#include "world/parts.h"
#include "world/schedule/hold.h"
#include "world/schedule/strategy_priv.h"

#define MAX_HOLD 200000u
#define FIRST_SHIFT 4u
#define MAX_SHIFT 8u
#define SEEN 64u
#define CELL_SHIFT 2u

static struct hold hold;
static struct thread *held;
static uint64_t held_at;
static uintptr_t cell;       /* of the first access; 0: the thread is held before a lock */
static uintptr_t seen[SEEN]; /* cells of second accesses that were made meanwhile */
static uint32_t seen_count;
static bool is_over, is_on;

static void expose_start(void)
{
	struct heddle_channel *channel = world.channel;
	random_start();
	hold_start(&hold, channel->depth & 1);
	held = NULL;
	seen_count = 0;
	is_over = false;
	is_on = true;
	for (uint32_t i = 1; i <= world.place_count; i++) {
		hold_add(&world.threads[i]);
		world.threads[i].left = random_below(2) ? random_below(1ul << FIRST_SHIFT) : 0;
	}
	channel->hold_state = HEDDLE_HOLD_NONE;
	channel->hold_event = 0;
	world.decides_alone = true;
}

static bool is_place(uint64_t place, bool is_second)
{
	const struct heddle_channel *channel = world.channel;
	for (uint32_t i = 0; i < channel->lock_pair_count && i < HEDDLE_LOCK_PAIRS; i++)
		if (place == (is_second ? channel->lock_pairs[i].second_code : channel->lock_pairs[i].first_code))
			return true;
	return false;
}

static bool is_listed(const struct thread *self, bool is_second)
{
	return heddle_event_is_access(self->kind) && is_place(self->code, is_second);
}

static uintptr_t cell_at(const volatile void *address)
{
	return ((uintptr_t)address >> CELL_SHIFT) + 1;
}

static uintptr_t cell_of(const struct thread *self)
{
	return cell_at(self->object);
}

static bool has_seen(uintptr_t wanted)
{
	for (uint32_t i = 0; i < seen_count; i++)
		if (seen[i] == wanted)
			return true;
	return false;
}

static void let_go(enum heddle_hold_state state)
{
	if (world.channel->hold_state != HEDDLE_HOLD_MADE)
		world.channel->hold_state = state;
	held->is_at_point = false;
	held = NULL;
	is_over = world.channel->hold_state == HEDDLE_HOLD_MADE || world.channel->hold.event;
}

static void begin_hold(struct thread *self, bool is_lock)
{
	uint32_t count;
	const struct held *locks = observe_held(self->track, &count);
	held = self;
	held_at = world_events();
	cell = is_lock ? 0 : cell_of(self);
	self->is_at_point = true;
	seen_count = 0;
	world.channel->hold_state = HEDDLE_HOLD_HELD;
	if (!is_lock && count)
		world.channel->hold_event = locks[0].event;
}

/* The current thread announces an event. */
static void look(struct thread *self)
{
	const uint64_t wanted = world.channel->hold.event;
	const bool is_first = is_listed(self, false);
	if (held && held != self && is_listed(self, true) && seen_count < SEEN)
		seen[seen_count++] = cell_of(self);
	if (is_first && !held && has_seen(cell_of(self)))
		world.channel->hold_state = HEDDLE_HOLD_MADE;
	if (held || is_over)
		return;
	if (wanted) {
		if (world_events() == wanted)
			begin_hold(self, true);
		return;
	}
	if (is_first && !has_seen(cell_of(self))) {
		if (self->left)
			self->left--;
		else
			begin_hold(self, false);
	}
}

/* Whether what the thread is held for has been made; before a lock that is not known, so a few are waited for. */
static bool is_made(const struct thread *self)
{
	if (!held || (self && held != self && is_listed(self, true) && world.is_deciding))
		return false;
	return cell ? has_seen(cell) : seen_count != 0;
}

static struct thread *expose_pick(struct thread *self)
{
	/* The access that is announced now is made when its thread runs on. */
	const bool is_done = is_made(self);
	if (is_done) {
		world.channel->hold_state = cell ? HEDDLE_HOLD_MADE : HEDDLE_HOLD_HELD;
		let_go(HEDDLE_HOLD_HELD);
	}
	if (self && world.is_deciding && !self->is_at_point)
		look(self);
	if (held && world_events() - held_at > MAX_HOLD)
		let_go(HEDDLE_HOLD_SPENT);
	if (self && !self->is_at_point && !self->is_yielding && (!hold.is_random || !point_is_here(self)))
		return self;
	struct thread *next = hold_next(&hold);
	if (next && next == held) {
		if (next->cursor < MAX_SHIFT)
			next->cursor++;
		next->left = random_below(1ul << next->cursor);
		let_go(HEDDLE_HOLD_ALONE);
	}
	return next;
}

static uint64_t expose_slice(const struct thread *thread)
{
	return hold.is_random ? strategy_random.slice(thread) : SLICE_LONG;
}

static bool expose_woken(struct thread *thread, bool is_new)
{
	if (is_new) {
		hold_add(thread);
		thread->cursor = 0;
		thread->left = random_below(2) ? random_below(1ul << FIRST_SHIFT) : 0;
	}
	return false;
}

static void expose_yielded(struct thread *thread)
{
	hold_yielded(&hold, thread);
}

const struct strategy strategy_expose = {
	"expose", true, expose_start, expose_pick, expose_slice, expose_woken, expose_yielded,
};

void expose_touched(const volatile void *address, const struct heddle_site *site)
{
	const struct thread *self = world.current;
	uint32_t count;
	const struct held *locks = is_on ? observe_held(self->track, &count) : NULL;
	if (!is_on || (held && held->index == self->index))
		return;
	if (held && is_place((uintptr_t)site, true) && seen_count < SEEN)
		seen[seen_count++] = cell_at(address);
	if (held || !is_place((uintptr_t)site, false))
		return;
	if (has_seen(cell_at(address)))
		world.channel->hold_state = HEDDLE_HOLD_MADE;
	else if (locks && count && !world.channel->hold.event && !world.channel->hold_event)
		world.channel->hold_event = locks[0].event;
}
