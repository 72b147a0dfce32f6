/*
 * locks.c: steers towards a deadlock that lock orders make possible, as the active random checker of DeadlockFuzzer
 * does (Joshi, Park, Sen, Naik: A Randomized Dynamic Program Analysis Technique for Detecting Real Deadlocks, PLDI
 * 2009). The tool names the pairs of acquisitions that could close a cycle. A thread that holds the first lock of a
 * pair and is about to take the second is held back, while others continue. When the threads that are held back wait for
 * each other they are released, and that is the deadlock.
 *
 * Invariants:
 *  1. Holding back causes no failure that the program does not have: when no other thread can continue, time passes
 *     once, then a random one of the held threads is let go; the same when the others only wait by polling. All of it
 *     ends long before the fair tail begins, or the budget of events is spent, so that a loop that waits for a held
 *     thread is not reported as a livelock.
 *     Assured by tests/cli/lock-order.t.
 *  2. What is closed is looked for among what threads have now. Pairs say only where to hold back, so a pair that is
 *     met by threads other than those the tool intended costs a chance and nothing else.
 *     Assured by tests/cli/lock-order.t.
 *
 * Others run one after the other, in an order of the seed's, without preemption; with an odd depth at random. The first
 * gets a thread past its earlier uses of the locks before another has one of them for good, the second is for threads that
 * need each other on the way.
 */
#include "heddle/events.h"
#include "rt/observe.h"
#include "world/schedule/hold.h"
#include "world/schedule/strategy_priv.h"

/* Of the budget of events, the part in which threads are held back; and the same when there is no budget. */
#define BUDGET_PART 16u
#define MAX_EVENTS 100000u

static const struct heddle_lock_pair *pairs;
static uint32_t pair_count;
static struct hold hold;
static uint64_t last_event;

static void locks_start(void)
{
	const struct heddle_channel *channel = world.channel;
	uint64_t budget = channel->fair_after ? channel->fair_after : channel->event_budget;
	random_start();
	pairs = channel->lock_pairs;
	pair_count = channel->lock_pair_count < HEDDLE_LOCK_PAIRS ? channel->lock_pair_count : HEDDLE_LOCK_PAIRS;
	hold_start(&hold, channel->depth & 1);
	last_event = budget ? budget / BUDGET_PART : MAX_EVENTS;
	for (uint32_t i = 1; i <= world.place_count; i++)
		hold_add(&world.threads[i]);
	world.decides_alone = true;
}

static bool has_first(const struct track *track, const struct heddle_lock_pair *pair)
{
	uint32_t count;
	const struct held *held = observe_held(track, &count);
	for (uint32_t i = 0; i < count; i++)
		if (held[i].code == pair->first_code &&
		    (!pair->first_lock || pair->first_lock == (uintptr_t)held[i].lock))
			return true;
	return false;
}

/* Whether it has the first and stands before the second lock of a pair. Functions that try are at other places. */
static bool is_at_second(const struct thread *self)
{
	if (!heddle_event_takes_lock(self->kind) || !world.is_deciding || !self->track)
		return false;
	for (uint32_t i = 0; i < pair_count; i++)
		if (pairs[i].second_code == self->code &&
		    (!pairs[i].second_lock || pairs[i].second_lock == (uintptr_t)self->object) &&
		    has_first(self->track, &pairs[i]))
			return true;
	return false;
}

static bool has_against(const struct thread *thread, const struct thread *other)
{
	uint32_t count;
	const struct held *held = observe_held(thread->track, &count);
	for (uint32_t i = 0; i < count; i++)
		if (held[i].lock == other->object)
			return !held[i].is_shared || other->kind != HEDDLE_EVENT_RWLOCK_READ_LOCK;
	return false;
}

/* A held thread that has the lock which this thread, also held, is about to take; or null. */
static struct thread *holder_of(const struct thread *thread)
{
	for (uint32_t i = 0; i < world.runnable_count; i++) {
		struct thread *other = world.runnable[i];
		if (other->is_at_point && other != thread && has_against(other, thread))
			return other;
	}
	return NULL;
}

/* If threads that are held back now wait for each other, lets them go. */
static void release_cycle(struct thread *self)
{
	struct thread *cycle[HEDDLE_LOCK_PAIRS];
	uint32_t count = 0;
	struct thread *at = self;
	do {
		cycle[count++] = at;
		at = holder_of(at);
	} while (at && at != self && count < HEDDLE_LOCK_PAIRS);
	for (uint32_t i = 0; at == self && i < count; i++)
		cycle[i]->is_at_point = false;
}

static struct thread *locks_pick(struct thread *self)
{
	bool is_over = world_events() > last_event;
	if (self && !self->is_at_point && !is_over && is_at_second(self)) {
		self->is_at_point = true;
		release_cycle(self);
	}
	if (self && !hold.is_random && !self->is_at_point && !self->is_yielding)
		return self;
	for (uint32_t i = 0; is_over && i < world.runnable_count; i++)
		world.runnable[i]->is_at_point = false;
	struct thread *next = hold_next(&hold);
	if (next)
		next->is_at_point = false;
	return next;
}

static uint64_t locks_slice(const struct thread *thread)
{
	return hold.is_random ? strategy_random.slice(thread) : SLICE_LONG;
}

static bool locks_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		hold_add(thread);
	return false;
}

static void locks_yielded(struct thread *thread)
{
	hold_yielded(&hold, thread);
}

const struct strategy strategy_locks = {
	"locks", true, locks_start, locks_pick, locks_slice, locks_woken, locks_yielded,
};
