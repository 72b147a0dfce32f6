/*
 * planner_pairs.c: schedules towards pairs of accesses that another tool or the static analysis named: see planner.h. Half of them
 * run threads one after the other, the other half at random: the first get a thread through all that comes before its access, the
 * second are for threads that need each other on the way.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "explore/planner.h"
#include "explore/race_lines.h"

struct pairs {
	struct planner planner;
	struct pair_target *targets;
	size_t target_count;
	uint64_t seed, planned;
	uint32_t tries, wanted;
	uint64_t hot[HEDDLE_HOT_SITES]; /* of the last plan */
};

static struct pair_target *next_target(const struct pairs *self)
{
	struct pair_target *best = NULL;
	for (size_t i = 0; i < self->target_count; i++) {
		struct pair_target *target = &self->targets[i];
		bool is_done = target->planned >= self->tries || target->shown >= self->wanted ||
			       !target->place_counts[0] || !target->place_counts[1];
		if (!is_done && (!best || target->planned < best->planned))
			best = target;
	}
	return best;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* The sites of both sides in turn, so that neither fills the list alone; ascending, each once. */
static uint32_t put_hot(uint64_t hot[HEDDLE_HOT_SITES], const struct pair_target *target)
{
	uint32_t count = 0, kept = 0;
	for (uint32_t i = 0; i < target->place_counts[0] || i < target->place_counts[1]; i++)
		for (size_t side = 0; side < 2; side++)
			if (i < target->place_counts[side] && count < HEDDLE_HOT_SITES)
				hot[count++] = target->places[side][i];
	qsort(hot, count, sizeof *hot, compare);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || hot[i] != hot[i - 1])
			hot[kept++] = hot[i];
	return kept;
}

static bool pairs_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct pairs *self = (struct pairs *)planner;
	struct pair_target *target = next_target(self);
	(void)reason;
	if (!target)
		return false;
	*plan = (struct plan){
		.strategy = HEDDLE_STRATEGY_PAIR,
		.flags = HEDDLE_CONTROL_HOT | target->flags,
		.seed = self->seed + self->planned++,
		.depth = target->planned++ % 2,
		.hot = self->hot,
		.hot_count = put_hot(self->hot, target),
		.extra = target,
	};
	return true;
}

static bool has(const struct pair_target *target, size_t side, uint64_t place)
{
	for (uint32_t i = 0; i < target->place_counts[side]; i++)
		if (target->places[side][i] == place)
			return true;
	return false;
}

static bool is_shown(const struct pair_target *target, const char *report, size_t size_bytes)
{
	struct race_line race;
	for (size_t at = 0; race_lines_next(report, size_bytes, &at, &race);)
		if ((has(target, 0, race.places[0]) && has(target, 1, race.places[1])) ||
		    (has(target, 1, race.places[0]) && has(target, 0, race.places[1])))
			return true;
	return false;
}

static void pairs_learn(struct planner *planner, const struct lesson *lesson)
{
	struct pair_target *target = lesson->plan->extra;
	(void)planner;
	if (!lesson->result || !lesson->channel)
		return;
	target->tried++;
	target->met += lesson->channel->hold_state == HEDDLE_HOLD_MADE;
	target->shown += is_shown(target, lesson->report, lesson->report_bytes);
}

static void pairs_free(struct planner *planner)
{
	free(planner);
}

struct planner *planner_pairs_new(struct pair_target *targets, size_t target_count, uint64_t seed, uint32_t tries,
				  uint32_t wanted)
{
	struct pairs *self = mem_alloc(sizeof *self);
	*self = (struct pairs){
		.planner = { .next = pairs_next, .learn = pairs_learn, .free = pairs_free },
		.targets = targets,
		.target_count = target_count,
		.seed = seed,
		.tries = tries,
		.wanted = wanted,
	};
	return &self->planner;
}
