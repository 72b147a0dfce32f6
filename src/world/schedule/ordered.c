/*
 * ordered.c: one order of two accesses that race. The schedule is that of a run that is known (steered.c), up to the
 * event where a thread goes on to the first access, or to a lock that it takes on the way there. For the reverse
 * order it is held there while others run, until another thread has made the second access; then it goes on at once.
 * For the recorded order it is held behind its access, so that in both orders both threads stand right behind their
 * accesses when the rest begins: the other steps, or random. Narayanasamy and others (Automatically Classifying
 * Benign and Harmful Data Races Using Replay Analysis, PLDI 2007) and Kasikci and others (Portend, ASPLOS 2012)
 * compare such pairs of runs.
 *
 * Invariants:
 *  1. Holding causes no failure that the program does not have: when no other thread can go on, time passes once,
 *     then the thread is let go; the same when the others only wait by polling, or for the outside, or when the
 *     budget of the hold is spent. The channel says which it was.
 *     Assured by tests/cli/classify.t.
 *  2. Up to the hold the run has the events of the known one. The channel says so when the thread does not come there.
 *     Assured by tests/cli/classify.t.
 *
 * Without a first thread nothing is held: the schedule is the known one up to the event, and random from there.
 *
 * The sites of both accesses are hot, so that the strategy is asked before each of them. A run whose state is compared ends
 * when both regions have ended (compared.c).
 */
#include "heddle/events.h"
#include "rt/object.h"
#include "world/parts.h"
#include "world/schedule/compared.h"
#include "world/schedule/strategy_priv.h"

/* Yields in a row for each thread that can run, before the others are assumed to wait for the one that is held. */
#define MAX_STREAK 8u

static const struct heddle_hold *order;
static struct thread *held;      /* null: no thread is held */
static struct thread *arming;    /* makes the first access, and is held behind it; null: no thread */
static struct thread *forced;    /* runs next in any case; null: no thread */
static struct thread *maker;     /* of the second access */
static struct thread *ending;    /* was held behind its access, and goes on to the end of its region; null: no thread */
static bool has_ended_region;    /* there was such a thread */
static struct thread *returning; /* was released; the maker continues where it stops; null: no thread */
static bool is_before;           /* the hold is still to come */
static bool is_making;           /* the second access is the event that was announced last */
static bool is_free;             /* random from here on, ... */
static const struct strategy *then; /* ... by this */
static bool is_awaited;             /* the second access is still to come, and nobody is held for it */
static bool has_passed;             /* time, since any thread ran */
static uint64_t held_at;
static uint64_t passed;    /* accesses like the second one that were made since */
static uint64_t passed_at; /* own events of their thread at the last of these, + 1 */

static void tell(enum heddle_hold_state state)
{
	world.channel->hold_state = state;
	world.channel->hold_event = world_events();
}

static void ordered_start(void)
{
	order = &world.channel->hold;
	held = arming = forced = maker = ending = returning = NULL;
	has_ended_region = false;
	is_before = order->event != 0;
	is_making = has_passed = false;
	is_free = is_awaited = false;
	then = order->is_random ? strategy_of(order->then) : NULL;
	then = then && then != &strategy_ordered ? then : &strategy_random;
	held_at = passed = passed_at = 0;
	tell(HEDDLE_HOLD_NONE);
	compared_start();
	strategy_steered.start();
	random_start();
	world.decides_alone = world.slices_alone = true;
}

/* Whether a thread that can run, or the current one where it announces an event, stands before an access of the
 * second site. */
static bool is_at_site(const struct thread *self)
{
	return heddle_event_is_access(self->kind) && !order->is_freed && self->code == order->second_place;
}

static bool is_about(uintptr_t at, size_t bytes)
{
	return at < order->address ? order->address - at < bytes : at - order->address < order->size_bytes;
}

/* The same to the bytes that matter. */
static bool is_at_second(const struct thread *self)
{
	if (!is_at_site(self))
		return false;
	const struct heddle_site *site = (const struct heddle_site *)self->code;
	const bool is_range = site->flags & (HEDDLE_SITE_RANGE | HEDDLE_SITE_MASKED);
	return is_about((uintptr_t)self->object, is_range ? self->range_bytes : site->size);
}

static void go_free(void)
{
	is_free = order->is_random;
	world.decides_alone = false;
	if (!is_free || !order->is_loose)
		return;
	/* What matters is not known: the strategy is asked wherever it wants to. */
	world.decides_hot_only = false;
	then->start();
}

static void let_go(void)
{
	if (order->is_compared) {
		compared_begin(held, maker, order->is_after);
		held = NULL;
		return;
	}
	forced = order->is_after || order->is_loose ? NULL : held;
	if (order->onward == HEDDLE_ONWARD_SKIP)
		steered_pass(held);
	returning = order->onward == HEDDLE_ONWARD_RETURN && maker ? held : NULL;
	held = NULL;
	has_passed = false;
	go_free();
}

/* The second access may need what the first thread does behind its own, in the same region. Whether that is tried. */
static bool lets_region_end(void)
{
	if (!order->is_compared || !order->is_after || has_ended_region || compared_is_at_end(held))
		return false;
	has_ended_region = true;
	ending = held;
	held = NULL;
	return true;
}

/* An access that was passed is in the order that is wanted, too. */
static void give_up(enum heddle_hold_state state)
{
	if (lets_region_end())
		return;
	if (!passed)
		tell(state);
	if (order->is_compared)
		compared_give_up();
	let_go();
}

/* The thread goes on to an access like the second one, and may crash there. Returns whether it is the one that the other
 * is held for. */
static bool makes(struct thread *thread)
{
	const uint64_t now = thread_own(thread) + 1;
	const bool is_second = thread->index == order->second_thread;
	if (is_second && passed_at == now)
		return false;
	if (passed == order->passed) {
		is_making = true;
		maker = thread;
	} else if (is_second) {
		passed++;
		passed_at = now;
	} else {
		return false;
	}
	tell(HEDDLE_HOLD_MADE);
	return is_making;
}

/* The thread that makes the second access, if it can run and has not just yielded; else null. */
static struct thread *wanted(void)
{
	struct thread *second = thread_at(order->second_thread);
	return second && second != held && second->state == THREAD_RUNNABLE && !second->is_yielding ? second : NULL;
}

/* Among the threads that are not held: the one that makes the second access if it can run, else the one that yielded
 * longest ago. */
static struct thread *choose_other(void)
{
	struct thread *best = wanted();
	if (best)
		return best;
	for (uint32_t i = 0; i < world.runnable_count; i++) {
		struct thread *thread = world.runnable[i];
		if (thread == held)
			continue;
		if (!best || thread->priority < best->priority ||
		    (thread->priority == best->priority && thread->index < best->index))
			best = thread;
	}
	return best;
}

/* Whether the hold is over without the second access; then the channel says why. */
static bool is_in_vain(void)
{
	if (world_events() - held_at > order->budget)
		give_up(HEDDLE_HOLD_SPENT);
	else if (world.yield_streak > MAX_STREAK * world.runnable_count)
		give_up(outside_is_awaited() ? HEDDLE_HOLD_UNCLEAR : HEDDLE_HOLD_WAITING);
	return !held;
}

/* Whether the thread stands before another access of the operation that the access at the place is of: a copy reads and writes, and is made when
 * both were announced. */
static bool is_amid(const struct thread *self, uint64_t place)
{
	const struct heddle_site *a = (const struct heddle_site *)self->code, *b = (const struct heddle_site *)place;
	if (!world.is_deciding || (self->kind != HEDDLE_EVENT_READ && self->kind != HEDDLE_EVENT_WRITE) || a == b)
		return false;
	return a->flags & b->flags & HEDDLE_SITE_RANGE && a->line == b->line && a->column == b->column &&
	       object_at(&a->function) == object_at(&b->function) && object_at(&a->inlined) == object_at(&b->inlined);
}

/* The thread to run while one is held; null: let time pass, or the hold is over. */
static struct thread *pick_beside(struct thread *self)
{
	if (is_making) {
		if (self && !order->is_freed && is_amid(self, order->second_place))
			return self;
		is_making = false;
		let_go();
		return NULL;
	}
	if (self && self != held && world.is_deciding && is_at_second(self) && makes(self))
		return self;
	if (is_in_vain())
		return NULL;
	struct thread *second = wanted();
	if (self && self != held && !self->is_yielding && (!second || second == self))
		return self;
	struct thread *next = choose_other();
	if (self)
		self->is_yielding = false;
	/* It was preempted there before. */
	if (next && next != self && is_at_second(next))
		makes(next);
	if (!next && has_passed)
		give_up(outside_is_awaited() ? HEDDLE_HOLD_UNCLEAR : HEDDLE_HOLD_ALONE);
	has_passed = !next && held;
	return next;
}

/* The second access comes by itself. */
static void come(void)
{
	is_awaited = world.decides_alone = false;
	tell(HEDDLE_HOLD_MADE);
}

void ordered_free(const volatile void *start, size_t size_bytes, uintptr_t code)
{
	if (!(held || is_awaited) || !order->is_freed || !world.is_on || world.current == held || is_making ||
	    code != order->second_place || !is_about((uintptr_t)start, size_bytes))
		return;
	if (is_awaited) {
		come();
		return;
	}
	/* The call is no event: the next one, or whatever else the thread does, ends the hold. */
	if (makes(world.current))
		world_slice(0);
}

static void hold(struct thread *thread)
{
	tell(HEDDLE_HOLD_HELD);
	held = thread;
	held_at = world_events();
}

/* Whether the thread that is to run next is held from here on: it would go on to the first access, or to the lock, with this event. */
static bool begins_hold(struct thread *next)
{
	if (!is_before || world_events() < order->event)
		return false;
	if (!order->first_thread) {
		is_before = false;
		go_free();
		return false;
	}
	if (world_events() == order->event && next->index != order->first_thread)
		return false;
	is_before = false;
	if (world_events() > order->event || (order->first_place && next->code != order->first_place)) {
		tell(HEDDLE_HOLD_LOST);
		world.decides_alone = false;
		if (order->is_compared)
			compared_give_up();
		return false;
	}
	if (order->is_compared)
		compared_keep();
	if (order->is_after) {
		arming = next;
		return false;
	}
	hold(next);
	return true;
}

/* The first access is made. Its thread is held where it stands now, also if it waits there. */
static void hold_behind(void)
{
	struct thread *thread = arming;
	arming = NULL;
	if (order->is_loose) {
		tell(HEDDLE_HOLD_HELD);
		go_free();
		is_awaited = world.decides_alone = true;
		return;
	}
	if (thread->state != THREAD_ENDED) {
		hold(thread);
		return;
	}
	tell(HEDDLE_HOLD_LOST); /* its place is another's soon */
	if (order->is_compared)
		compared_give_up();
}

/* The thread whose region ends, until it has; then it is held again. */
static struct thread *pick_ending(void)
{
	struct thread *next = ending;
	if (!compared_is_at_end(next) && !next->is_yielding)
		return next;
	ending = NULL;
	hold(next);
	return NULL;
}

static struct thread *pick_forced(void)
{
	struct thread *next = forced;
	forced = NULL;
	return next && next->state == THREAD_RUNNABLE ? next : NULL;
}

/* The thread that was released goes on to next: the one that made the second access comes before. */
static struct thread *pick_return(struct thread *next)
{
	returning = NULL;
	return maker->state == THREAD_RUNNABLE ? maker : next;
}

static struct thread *ordered_pick(struct thread *self)
{
	struct thread *next = NULL;
	if (order->is_compared && !is_before)
		compared_note(self);
	if (compared_is_on())
		return compared_pick(self);
	if (ending && (next = pick_ending()))
		return next;
	if (is_before) {
		next = strategy_steered.pick(self);
		if (!begins_hold(next))
			return next;
	} else if (arming) {
		if (self == arming && order->first_place && is_amid(self, order->first_place))
			return self;
		hold_behind();
	}
	if (held)
		next = pick_beside(self == held ? NULL : self);
	if (next || held)
		return next;
	if (ending)
		return ending;
	if (compared_is_on())
		return compared_pick(self);
	next = pick_forced();
	if (next)
		return next;
	next = is_free ? then->pick(self) : strategy_steered.pick(self);
	if (returning && world.current == returning && next != returning)
		next = pick_return(next);
	/* Where it stands, or was preempted before. */
	if (is_awaited && next && (next != self || world.is_deciding) && is_at_second(next))
		come();
	return next;
}

static uint64_t until(uint64_t slice, uint64_t event)
{
	uint64_t now = world_events();
	return event > now && slice > event - now - 1 ? event - now - 1 : slice;
}

static uint64_t ordered_slice(const struct thread *thread)
{
	if (arming || is_awaited || (order->is_compared && !is_before))
		return 0;
	if (held)
		return is_making ? 0 : until(SLICE_LONG, held_at + order->budget + 1);
	uint64_t slice = is_free ? then->slice(thread) : strategy_steered.slice(thread);
	return is_before ? until(slice, order->event) : slice;
}

static bool ordered_woken(struct thread *thread, bool is_new)
{
	bool is_asked = is_free ? then->woken(thread, is_new) : strategy_steered.woken(thread, is_new);
	return is_asked || (held && thread->index == order->second_thread);
}

static void ordered_yielded(struct thread *thread)
{
	if (is_free)
		then->yielded(thread);
	else
		strategy_steered.yielded(thread);
}

const struct strategy strategy_ordered = {
	"ordered", false, ordered_start, ordered_pick, ordered_slice, ordered_woken, ordered_yielded,
};
