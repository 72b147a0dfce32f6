/*
 * fair.c: the fair tail of a run. A run that seems to make no progress may only be unlucky: its strategy runs threads
 * that wait for others, or a loop that ends by itself polls the same memory for a long time. Such a run continues under
 * this schedule, and is a livelock only if it does not end then either.
 *
 * Threads take turns in the order of their creation; one that yields is left out once. The lengths of turns are random, so
 * that threads that undo each other's work do not stay in step.
 *
 * In the second half of the tail virtual time passes faster and faster, so that a thread that sleeps for a second need not
 * be waited for during 20 million events of the others. This also lets time-outs expire that a program means for
 * emergencies, so the first half does without it.
 */
#include "world/kernel/clock.h"
#include "world/schedule/strategy_priv.h"

#define TURN_BITS 10u /* a turn has fewer than 2^10 events, with all magnitudes alike */
/* Time jumps once in this many events, by a multiple of what they take that doubles each time. */
#define STEP_EVENTS 10000u
#define STEP_DOUBLINGS 24u

static uint64_t turn_end; /* event */
static uint64_t step_at;  /* event */
static uint32_t step_count;

static void fair_start(void)
{
	uint64_t now = world_events();
	random_start();
	turn_end = now;
	step_count = 0;
	step_at = now + (world.fair_until > now ? (world.fair_until - now) / 2 : 0);
	for (uint32_t i = 0; i < world.runnable_count; i++)
		world.runnable[i]->is_yielding = false;
}

uint64_t fair_step_ns(void)
{
	if (world_events() < step_at)
		return 0;
	step_at = world_events() + STEP_EVENTS;
	if (step_count < STEP_DOUBLINGS)
		step_count++;
	return (uint64_t)STEP_EVENTS * CLOCK_EVENT_NS << step_count;
}

/* The next one in order of creation that did not yield; the smallest index above, else the smallest. */
static struct thread *next_above(uint32_t own)
{
	struct thread *above = NULL, *first = NULL;
	for (uint32_t i = 0; i < world.runnable_count; i++) {
		struct thread *thread = world.runnable[i];
		if (thread->is_yielding)
			continue;
		if (thread->index > own && (!above || thread->index < above->index))
			above = thread;
		if (!first || thread->index < first->index)
			first = thread;
	}
	return above ? above : first;
}

static struct thread *fair_pick(struct thread *self)
{
	if (self && !self->is_yielding && world_events() < turn_end)
		return self;
	uint32_t own = self ? self->index : world.current->index;
	struct thread *next = next_above(own);
	for (uint32_t i = 0; i < world.runnable_count; i++)
		world.runnable[i]->is_yielding = false;
	turn_end = world_events() + random_below(2ul << random_below(TURN_BITS));
	return next ? next : next_above(own);
}

static uint64_t fair_slice(const struct thread *thread)
{
	uint64_t now = world_events();
	(void)thread;
	return turn_end > now ? turn_end - now : 0;
}

const struct strategy strategy_fair = {
	"fair", false, fair_start, fair_pick, fair_slice, woken_never, yielded_marked,
};
