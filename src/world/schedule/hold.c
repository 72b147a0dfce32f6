/* hold.c: see hold.h. */
#include "world/schedule/hold.h"

#include "world/schedule/strategy_priv.h"

/* How often in a whole run time may pass instead of a thread being let go: a thread that wakes again and again keeps
 * it going. */
#define MAX_PASSES 4000u
/* Yields in a row for each thread that can run, before the others are assumed to wait for one that is held back. */
#define MAX_STREAK 8u
/* Priorities that threads begin with are above it, those that they fall to are not. */
#define FALL (1ul << 32)

void hold_start(struct hold *hold, bool is_random)
{
	*hold = (struct hold){ .is_random = is_random, .passes_left = MAX_PASSES, .fall_next = FALL };
}

void hold_add(struct thread *thread)
{
	thread->priority = FALL + (random_next() >> 1);
	thread->is_at_point = false;
}

void hold_yielded(struct hold *hold, struct thread *thread)
{
	thread->is_yielding = true;
	thread->priority = hold->fall_next--;
}

/* Chooses among the threads that are held back or those that are not. Threads that yielded come last. */
static struct thread *choose(const struct hold *hold, bool is_held)
{
	struct thread *best = NULL;
	for (int pass = 0; pass < 2 && !best; pass++) {
		uint32_t count = 0;
		for (uint32_t i = 0; i < world.runnable_count; i++) {
			struct thread *thread = world.runnable[i];
			if (thread->is_at_point != is_held || (pass == 0 && thread->is_yielding))
				continue;
			count++;
			if (is_held || hold->is_random ? random_below(count) == 0
						       : !best || thread->priority > best->priority)
				best = thread;
		}
	}
	return best;
}

struct thread *hold_next(struct hold *hold)
{
	bool is_stuck = world.yield_streak > MAX_STREAK * world.runnable_count;
	struct thread *next = is_stuck ? NULL : choose(hold, false);
	if (!next && !is_stuck && !hold->has_passed && hold->passes_left) {
		hold->passes_left--;
		hold->has_passed = true;
		return NULL;
	}
	if (!next)
		next = choose(hold, true);
	if (!next)
		next = choose(hold, false);
	if (!next)
		return NULL;
	hold->has_passed = false;
	for (uint32_t i = 0; i < world.runnable_count; i++)
		world.runnable[i]->is_yielding = false;
	return next;
}
