/*
 * planner_locks.c: schedules that are steered towards the deadlocks of lock orders (src/world/schedule/locks.c), a few for
 * each cycle, in turn. Half of them go by the locks themselves, the others by places only: where threads make locks on the
 * heap these have other addresses in other schedules.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "explore/planner_priv.h"

#define TRIES 16u /* for each cycle */

struct locks {
	struct planner planner;
	struct lock_cycles *cycles;
	uint64_t seed, planned;
	struct heddle_lock_pair pairs[HEDDLE_LOCK_PAIRS]; /* of the last plan */
};

/* The one that was tried least, the oldest of these; null: there is nothing left to try. */
static struct lock_cycle *next_cycle(const struct lock_cycles *cycles)
{
	struct lock_cycle *best = NULL;
	for (size_t i = 0; i < cycles->count; i++) {
		struct lock_cycle *cycle = cycles->items[i];
		if (!cycle->is_shown && cycle->planned < TRIES && (!best || cycle->planned < best->planned))
			best = cycle;
	}
	return best;
}

static bool locks_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct locks *self = (struct locks *)planner;
	struct lock_cycle *cycle = next_cycle(self->cycles);
	(void)reason;
	if (!cycle)
		return false;
	uint32_t turn = cycle->planned++, form = turn / 4 % cycle->form_count;
	*plan = (struct plan){
		.strategy = HEDDLE_STRATEGY_LOCKS,
		.seed = self->seed + self->planned++,
		.depth = turn % 2,
		.lock_pairs = self->pairs,
		.lock_pair_count = cycle->pair_counts[form],
		.extra = cycle,
	};
	for (uint32_t i = 0; i < plan->lock_pair_count; i++) {
		self->pairs[i] = cycle->pairs[form][i];
		if (turn / 2 % 2)
			self->pairs[i].first_lock = self->pairs[i].second_lock = 0;
	}
	return true;
}

static void locks_learn(struct planner *planner, const struct lesson *lesson)
{
	struct lock_cycle *cycle = lesson->plan->extra;
	(void)planner;
	if (lesson->result)
		cycle->tried++;
}

static void locks_free(struct planner *planner)
{
	free(planner);
}

struct planner *planner_locks_new(struct lock_cycles *cycles, uint64_t seed)
{
	struct locks *self = mem_alloc(sizeof *self);
	*self = (struct locks){
		.planner = { .next = locks_next, .learn = locks_learn, .free = locks_free },
		.cycles = cycles,
		.seed = seed,
	};
	return &self->planner;
}
