/*
 * steered.c: the switches that the tool lists, and otherwise no preemption: the running thread continues; when it
 * cannot, or yields, the next is the one that yielded longest ago, or never, and of these the oldest. So
 * a schedule is a short list of the places where it differs from that, which is what a search with a bound on
 * preemptions (Musuvathi and Qadeer: Iterative Context Bounding for Systematic Testing of Multithreaded Programs,
 * PLDI 2007) and a search for the fewest preemptions work with. Waiting loops end because threads that yield come
 * last, as in the fair scheduler of Musuvathi and Qadeer (Fair Stateless Model Checking, PLDI 2008).
 */
#include "world/schedule/strategy_priv.h"

static const struct heddle_step *steps;
static uint32_t step_count;
static uint64_t yield_count;
static bool has_early;

/* priority: the number of its last yield. cursor: the index of the next step that can be its own. */
static void steered_new(struct thread *thread)
{
	uint32_t low = 0, high = step_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (steps[middle].thread < thread->index)
			low = middle + 1;
		else
			high = middle;
	}
	thread->cursor = low;
	thread->priority = 0;
}

static void steered_start(void)
{
	steps = world.channel->steps;
	step_count = world.channel->step_count < HEDDLE_STEPS ? world.channel->step_count : HEDDLE_STEPS;
	yield_count = 0;
	has_early = false;
	world.decides_alone = world.channel->flags & HEDDLE_CONTROL_ALONE;
	for (uint32_t i = 0; i < step_count; i++)
		has_early |= (steps[i].next & HEDDLE_STEP_EARLY) != 0;
	for (uint32_t i = 1; i <= world.place_count; i++)
		steered_new(&world.threads[i]);
}

/* The first of its steps that is not in its past. */
static uint32_t next_step(const struct thread *thread)
{
	uint32_t at = thread->cursor;
	uint64_t had = thread_own(thread);
	while (at < step_count && steps[at].thread == thread->index && steps[at].when / HEDDLE_WHEN < had)
		at++;
	return at;
}

/* The thread that a step of this kind is about here; null: there is no such step, or no such thread. */
static struct thread *step_here(struct thread *self, uint32_t kind)
{
	struct thread *from = world.current;
	uint64_t when = thread_when(self);
	uint32_t at = from->cursor = next_step(from);
	for (; at < step_count && steps[at].thread == from->index && steps[at].when / HEDDLE_WHEN == when / HEDDLE_WHEN;
	     at++) {
		if (steps[at].when != when || (steps[at].next & HEDDLE_STEP_EARLY) != kind)
			continue;
		from->cursor = at + 1;
		return thread_at(steps[at].next & ~HEDDLE_STEP_EARLY);
	}
	return NULL;
}

/* In the order of the run these come before the switch of the same place. */
struct thread *steered_early(struct thread *self)
{
	return step_here(self, HEDDLE_STEP_EARLY);
}

bool steered_has_early(void)
{
	return has_early;
}

void steered_pass(struct thread *thread)
{
	const uint32_t at = next_step(thread);
	thread->cursor = at < step_count && steps[at].thread == thread->index ? at + 1 : at;
}

static struct thread *steered_pick(struct thread *self)
{
	bool is_yielding = self && self->is_yielding;
	if (self)
		self->is_yielding = false;
	struct thread *best = step_here(self, 0);
	if (best && best->state == THREAD_RUNNABLE)
		return best;
	if (self && !is_yielding)
		return self;
	best = world.runnable[0];
	for (uint32_t i = 1; i < world.runnable_count; i++) {
		struct thread *thread = world.runnable[i];
		if (thread->priority < best->priority ||
		    (thread->priority == best->priority && thread->index < best->index))
			best = thread;
	}
	return best;
}

static uint64_t steered_slice(const struct thread *thread)
{
	uint32_t at = next_step(thread);
	if (at >= step_count || steps[at].thread != thread->index)
		return SLICE_LONG;
	/* Futexes do not count, so it may be asked too soon, but not too late. */
	uint64_t had = thread_own(thread), wanted = steps[at].when / HEDDLE_WHEN;
	return wanted > had ? wanted - had - 1 : 0;
}

static bool steered_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		steered_new(thread);
	return false;
}

static void steered_yielded(struct thread *thread)
{
	thread->is_yielding = true;
	thread->priority = ++yield_count;
}

const struct strategy strategy_steered = {
	"steered", false, steered_start, steered_pick, steered_slice, steered_woken, steered_yielded,
};
