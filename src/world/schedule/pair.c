/*
 * pair.c: brings two threads before accesses that may race, as the scheduler of RaceFuzzer does (Sen: Race Directed
 * Random Testing of Concurrent Programs, PLDI 2008). The sites of the pair are the hot sites. A thread that is about to access
 * one of them is held back while others continue. When another one reaches a hot site, and the two accesses conflict, they
 * are made one right after the other, in a random order: nothing is between them, so detection reports the race.
 *
 * Invariants:
 *  1. Holding back causes no failure that the program does not have: when no other thread can continue, time passes
 *     once, then a random one of the held threads is let go; the same when the others only wait by polling. A hold is bounded
 *     in events, and all of them end long before the fair tail begins, or the budget of events is spent.
 *     Assured by tests/unit/pair.t.
 *  2. Two accesses are brought together only if swapping them may change the result. The channel says whether that was done
 *     (HEDDLE_HOLD_MADE), and when.
 *     Assured by tests/unit/pair.t.
 *
 * Others run one after the other, in an order of the seed's, without preemption; with an odd depth at random. Which instance of
 * an access a thread is held at is random, too: a thread that was held in vain passes by more and more often.
 */
#include "heddle/events.h"
#include "world/parts.h"
#include "world/schedule/hold.h"
#include "world/schedule/hot.h"
#include "world/schedule/pair_seen.h"
#include "world/schedule/strategy_priv.h"

/* Of the budget of events, the part in which threads are held back. */
#define BUDGET_PART 2u
/* Events of one hold. */
#define MAX_HOLD 200000u
/* Accesses that a thread passes by at first are less than a power of two up to this one; the same after holds in vain. */
#define FIRST_SHIFT 8u
#define MAX_SHIFT 12u

static struct hold hold;
static bool is_meeting;       /* the thread that runs makes the first of two accesses */
static struct thread *second; /* makes the other one next; null: no thread */
static uint64_t last_event;   /* of holds; 0: no limit */

/* Of a thread, left: accesses that it passes by. cursor: how often it was held in vain. */
static uint64_t held_at
	[CANDIDATES]; /* event, by index of the thread modulo the size: a mistake only shortens or extends a hold */

static void thread_begins(struct thread *thread)
{
	hold_add(thread);
	thread->cursor = 0;
	thread->left = random_below(2) ? random_below(1ul << random_below(FIRST_SHIFT)) : 0;
}

static void set_state(enum heddle_hold_state state)
{
	world.channel->hold_state = state;
	world.channel->hold_event = world_events();
}

static void pair_start(void)
{
	const struct heddle_channel *channel = world.channel;
	uint64_t budget = channel->fair_after ? channel->fair_after : channel->event_budget;
	random_start();
	hold_start(&hold, channel->depth & 1);
	is_meeting = false;
	second = NULL;
	last_event = budget / BUDGET_PART;
	for (uint32_t i = 1; i <= world.place_count; i++)
		thread_begins(&world.threads[i]);
	set_state(HEDDLE_HOLD_NONE);
	pair_seen_start();
	world.decides_alone = true;
}

/* Whether the thread, which announces an event, stands before an access of the pair. */
static bool is_at_pair(const struct thread *self)
{
	return world.is_deciding && heddle_event_is_access(self->kind) &&
	       hot_is((const struct heddle_site *)self->code);
}

/* Of a range only the start is known, so one that begins before the other may reach it. */
static bool may_conflict(const struct thread *a, const struct thread *b)
{
	const struct heddle_site *first = (const struct heddle_site *)a->code;
	const struct heddle_site *other = (const struct heddle_site *)b->code;
	bool is_reached = (!first->size && a->object <= b->object) || (!other->size && b->object <= a->object);
	bool is_written = a->kind != HEDDLE_EVENT_READ || b->kind != HEDDLE_EVENT_READ;
	return events_conflict(a, b) || (is_reached && is_written);
}

/* A held thread whose access is in conflict with that of this one; at random if there are several. */
static struct thread *partner_of(const struct thread *self)
{
	struct thread *best = NULL;
	uint32_t count = 0;
	for (uint32_t i = 0; i < world.runnable_count; i++) {
		struct thread *thread = world.runnable[i];
		if (thread != self && thread->is_at_point && may_conflict(thread, self) && random_below(++count) == 0)
			best = thread;
	}
	return best;
}

static void let_go(struct thread *thread)
{
	thread->is_at_point = false;
	if (thread->cursor < MAX_SHIFT)
		thread->cursor++;
	thread->left = random_below(1ul << thread->cursor);
}

/* Both accesses are made now. Returns the thread that goes first. */
static struct thread *meet(struct thread *self, struct thread *partner)
{
	bool is_own = random_below(2);
	partner->is_at_point = self->is_at_point = false;
	second = is_own ? partner : self;
	is_meeting = true;
	set_state(HEDDLE_HOLD_MADE);
	return is_own ? self : partner;
}

/* Holds that last too long end. */
static void end_holds(bool is_over)
{
	for (uint32_t i = 0; i < world.runnable_count; i++) {
		struct thread *thread = world.runnable[i];
		if (thread->is_at_point && (is_over || world_events() - held_at[thread->index % CANDIDATES] > MAX_HOLD))
			let_go(thread);
	}
}

/* The other access of the two; null: there is none to make. */
static struct thread *take_second(void)
{
	struct thread *next = second;
	second = NULL;
	is_meeting = false;
	return next && next->state == THREAD_RUNNABLE ? next : NULL;
}

static struct thread *pair_pick(struct thread *self)
{
	bool is_over = last_event && world_events() > last_event, is_here = self && is_at_pair(self);
	if (is_here)
		pair_seen(self->kind, self->object, (const struct heddle_site *)self->code);
	struct thread *next = take_second();
	if (next)
		return next;
	if (is_here && !is_over && !self->is_at_point) {
		struct thread *partner = partner_of(self);
		if (partner)
			return meet(self, partner);
		if (self->left) {
			self->left--;
		} else {
			self->is_at_point = true;
			held_at[self->index % CANDIDATES] = world_events();
		}
	}
	end_holds(is_over);
	if (self && !self->is_at_point && !self->is_yielding && (!hold.is_random || !point_is_here(self)))
		return self;
	next = hold_next(&hold);
	if (next && next->is_at_point)
		let_go(next);
	return next;
}

static uint64_t pair_slice(const struct thread *thread)
{
	if (is_meeting)
		return 0;
	return hold.is_random ? strategy_random.slice(thread) : SLICE_LONG;
}

static bool pair_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		thread_begins(thread);
	return false;
}

static void pair_yielded(struct thread *thread)
{
	hold_yielded(&hold, thread);
}

const struct strategy strategy_pair = {
	"pair", true, pair_start, pair_pick, pair_slice, pair_woken, pair_yielded,
};
