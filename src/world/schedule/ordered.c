/*
 * ordered.c: one order of two accesses that race. The schedule is that of a run that is known (steered.c), up to the event where a thread
 * stands before the first access, or before a lock that it takes on the way there. It is held there while others run, until
 * another thread has made the second access; then it goes on at once, and the order is the other one. What follows is the
 * rest of the steps, or random. Narayanasamy and others (Automatically Classifying Benign and Harmful Data Races Using Replay Analysis, PLDI
 * 2007) and Kasikci and others (Portend, ASPLOS 2012) compare such pairs of runs.
 *
 * Invariants:
 *  1. Holding makes no failure that the program does not have: when nobody else can go on time passes once, then the thread is let
 *     go; the same when the others only wait by looking, or when the budget of the hold is spent. The channel says which it was.
 *     Assured by tests/cli/classify.t.
 *  2. Up to the hold the run has the events of the known one. The channel says so when the thread does not come there.
 *     Assured by tests/cli/classify.t.
 *
 * The sites of both accesses are hot, so that the strategy is asked before each of them.
 */
#include "world/schedule/strategy_priv.h"

/* Yields in a row for each thread that can run, before the others are taken to wait for the one that is held. */
#define MAX_STREAK 8u

static const struct heddle_hold *order;
static struct thread *held;   /* null: nobody is held */
static struct thread *forced; /* runs next, whatever else; null: nobody */
static bool is_before;        /* the hold is still to come */
static bool is_making;        /* the second access is the event that was announced last */
static bool is_free;          /* random from here on */
static bool has_passed;       /* time, since anybody ran */
static uint64_t held_at;

static void tell(enum heddle_hold_state state)
{
	world.channel->hold_state = state;
	world.channel->hold_event = world_events();
}

static void ordered_start(void)
{
	order = &world.channel->hold;
	held = forced = NULL;
	is_before = order->event != 0;
	is_making = has_passed = false;
	is_free = !is_before && order->is_random && !order->free_event;
	held_at = 0;
	tell(HEDDLE_HOLD_NONE);
	strategy_steered.start();
	random_start();
	world.decides_alone = world.slices_alone = true;
}

/* Whether a thread that can run, or the current one where it announces an event, stands before the second access. */
static bool is_at_second(const struct thread *self)
{
	bool is_access = self->kind == HEDDLE_EVENT_READ || self->kind == HEDDLE_EVENT_WRITE ||
			 self->kind == HEDDLE_EVENT_ATOMIC;
	uintptr_t at = (uintptr_t)self->object;
	const struct heddle_site *site = (const struct heddle_site *)self->code;
	if (!is_access || self->code != order->second_place)
		return false;
	/* Of a range only the start is known here. */
	uint64_t bytes = site->size ? site->size : UINT64_MAX;
	return at < order->address ? order->address - at < bytes : at - order->address < order->size_bytes;
}

static void let_go(void)
{
	forced = held;
	held = NULL;
	has_passed = false;
	world.decides_alone = false;
}

static void give_up(enum heddle_hold_state state)
{
	tell(state);
	let_go();
}

/* The thread goes on to the second access. It may crash there. */
static void make(void)
{
	is_making = true;
	tell(HEDDLE_HOLD_MADE);
}

/* Among those that are not held: who makes the second access if that can run, else the one that yielded longest ago. */
static struct thread *choose_other(void)
{
	struct thread *best = NULL;
	for (uint32_t i = 0; i < world.runnable_count; i++) {
		struct thread *thread = world.runnable[i];
		if (thread == held)
			continue;
		if (thread->index == order->second_thread && !thread->is_yielding)
			return thread;
		if (!best || thread->priority < best->priority ||
		    (thread->priority == best->priority && thread->index < best->index))
			best = thread;
	}
	return best;
}

/* Who runs while one is held; null: let time pass, or the hold is over. */
static struct thread *pick_beside(struct thread *self)
{
	if (is_making) {
		is_making = false;
		let_go();
		return NULL;
	}
	if (world_events() - held_at > order->budget) {
		give_up(HEDDLE_HOLD_SPENT);
		return NULL;
	}
	if (self && self != held && world.is_deciding && is_at_second(self)) {
		make();
		return self;
	}
	if (world.yield_streak > MAX_STREAK * world.runnable_count) {
		give_up(HEDDLE_HOLD_WAITING);
		return NULL;
	}
	if (self && self != held && !self->is_yielding)
		return self;
	struct thread *next = choose_other();
	if (self)
		self->is_yielding = false;
	/* It was preempted there before. */
	if (next && next != self && is_at_second(next))
		make();
	if (!next && has_passed)
		give_up(HEDDLE_HOLD_ALONE);
	has_passed = !next && held;
	return next;
}

/* Whether the thread that is to run next is held from here on: it would go on to the first access, or to the lock, with this event. */
static bool begins_hold(struct thread *next)
{
	if (!is_before || world_events() < order->event)
		return false;
	if (world_events() == order->event && next->index != order->first_thread)
		return false;
	is_before = false;
	if (world_events() > order->event) {
		tell(HEDDLE_HOLD_LOST);
		world.decides_alone = false;
		return false;
	}
	tell(HEDDLE_HOLD_HELD);
	held = next;
	held_at = world_events();
	return true;
}

static struct thread *pick_forced(void)
{
	struct thread *next = forced;
	forced = NULL;
	return next && next->state == THREAD_RUNNABLE ? next : NULL;
}

static struct thread *ordered_pick(struct thread *self)
{
	struct thread *next = NULL;
	if (is_before) {
		next = strategy_steered.pick(self);
		if (!begins_hold(next))
			return next;
		next = pick_beside(self == held ? NULL : self);
	} else if (held) {
		next = pick_beside(self);
	}
	if (next || held)
		return next;
	next = pick_forced();
	if (next) {
		is_free = order->is_random;
		return next;
	}
	if (order->free_event && world_events() > order->free_event)
		is_free = order->is_random;
	return is_free ? strategy_random.pick(self) : strategy_steered.pick(self);
}

static uint64_t until(uint64_t slice, uint64_t event)
{
	uint64_t now = world_events();
	return event > now && slice > event - now - 1 ? event - now - 1 : slice;
}

static uint64_t ordered_slice(const struct thread *thread)
{
	if (held)
		return is_making ? 0 : until(SLICE_LONG, held_at + order->budget + 1);
	uint64_t slice = is_free ? strategy_random.slice(thread) : strategy_steered.slice(thread);
	return is_before ? until(slice, order->event) : until(slice, order->free_event + 1);
}

static bool ordered_woken(struct thread *thread, bool is_new)
{
	return strategy_steered.woken(thread, is_new);
}

static void ordered_yielded(struct thread *thread)
{
	strategy_steered.yielded(thread);
}

const struct strategy strategy_ordered = {
	"ordered", false, ordered_start, ordered_pick, ordered_slice, ordered_woken, ordered_yielded,
};
