/*
 * planner_expose.c: schedules that try to break orders of accesses which a training has always seen (world/schedule/expose.c): see planner.h. Where
 * a thread was held back in vain while it had a lock, the same schedule is run again, and it is held before the earliest of its locks.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "explore/planner.h"

struct expose {
	struct planner planner;
	struct expose_target *targets;
	size_t target_count;
	uint64_t seed, planned, tries;
	uint64_t hot[HEDDLE_HOT_SITES]; /* of the last plan, as are the pairs */
	struct heddle_lock_pair pairs[HEDDLE_LOCK_PAIRS];
};

static struct expose_target *next_target(const struct expose *self)
{
	struct expose_target *best = NULL;
	for (size_t i = 0; i < self->target_count; i++) {
		struct expose_target *target = &self->targets[i];
		const bool is_done = target->is_pruned || !target->place_counts[0] || !target->place_counts[1] ||
				     (self->tries && target->planned >= self->tries);
		if (!is_done && (target->lock_event || !best || (!best->lock_event && target->planned < best->planned)))
			best = target;
	}
	return best;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static uint32_t put_hot(uint64_t hot[HEDDLE_HOT_SITES], const struct expose_target *target)
{
	uint32_t count = 0;
	for (size_t side = 0; side < 2; side++)
		for (uint32_t i = 0; i < target->place_counts[side] && count < HEDDLE_HOT_SITES; i++)
			hot[count++] = target->places[side][i];
	qsort(hot, count, sizeof *hot, compare);
	return count;
}

/* The lists of both sides side by side; what is missing is 0. */
static uint32_t put_pairs(struct heddle_lock_pair pairs[HEDDLE_LOCK_PAIRS], const struct expose_target *target)
{
	uint32_t count = 0;
	for (; count < HEDDLE_LOCK_PAIRS; count++) {
		const bool has_first = count < target->place_counts[0], has_second = count < target->place_counts[1];
		if (!has_first && !has_second)
			break;
		pairs[count] = (struct heddle_lock_pair){
			.first_code = has_first ? target->places[0][count] : 0,
			.second_code = has_second ? target->places[1][count] : 0,
		};
	}
	return count;
}

static bool expose_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct expose *self = (struct expose *)planner;
	struct expose_target *target = next_target(self);
	if (!target) {
		*reason = "each order that the training has was tried";
		return false;
	}
	*plan = (struct plan){
		.strategy = HEDDLE_STRATEGY_EXPOSE,
		.flags = HEDDLE_CONTROL_HOT | target->flags,
		.hot = self->hot,
		.hot_count = put_hot(self->hot, target),
		.lock_pairs = self->pairs,
		.lock_pair_count = put_pairs(self->pairs, target),
		.extra = target,
	};
	if (target->lock_event) {
		plan->seed = target->lock_seed;
		plan->depth = target->lock_depth;
		plan->hold.event = target->lock_event;
		target->lock_event = 0;
	} else {
		plan->seed = self->seed + self->planned++;
		plan->depth = target->planned % 2;
	}
	target->planned++;
	return true;
}

static void expose_learn(struct planner *planner, const struct lesson *lesson)
{
	struct expose_target *target = lesson->plan->extra;
	(void)planner;
	if (!lesson->result || !lesson->channel)
		return;
	target->tried++;
	const bool is_broken = lesson->channel->hold_state == HEDDLE_HOLD_MADE;
	target->broken_good += is_broken && !lesson->is_failure;
	target->broken_bad += is_broken && lesson->is_failure;
	target->is_pruned = target->broken_good != 0;
	if (!is_broken && !lesson->plan->hold.event && lesson->channel->hold_event) {
		target->lock_event = lesson->channel->hold_event;
		target->lock_seed = lesson->plan->seed;
		target->lock_depth = lesson->plan->depth;
	}
}

static void expose_free(struct planner *planner)
{
	free(planner);
}

struct planner *planner_expose_new(struct expose_target *targets, size_t target_count, uint64_t seed, uint64_t tries)
{
	struct expose *self = mem_alloc(sizeof *self);
	*self = (struct expose){
		.planner = { .next = expose_next, .learn = expose_learn, .free = expose_free },
		.targets = targets,
		.target_count = target_count,
		.seed = seed,
		.tries = tries,
	};
	return &self->planner;
}
