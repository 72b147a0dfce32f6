/* planner_walk.c: schedules of a strategy that follows from a seed, one after the other: see planner_priv.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "explore/planner_priv.h"
#include "explore/strategies.h"

struct walk {
	struct planner planner;
	const struct hints *hints;
	uint32_t strategy;
	uint64_t seed, depth, planned;
	bool is_hot_first;
};

/* Most bugs need one or two preemptions. */
static uint64_t usual_depth(uint32_t strategy, uint64_t turn)
{
	static const uint8_t depths[] = { 2, 3, 2, 4 };
	return strategies_rows[strategy].has_depths ? depths[turn % sizeof depths] : 0;
}

static bool walk_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct walk *self = (struct walk *)planner;
	(void)reason;
	uint64_t turn = self->planned++;
	*plan = (struct plan){ .strategy = self->strategy, .seed = self->seed + turn };
	bool sees_all_points = strategies_rows[self->strategy].sees_points;
	hints_give(self->hints, plan,
		   turn % 2 != self->is_hot_first || (sees_all_points && hints_are_long(self->hints)));
	plan->depth = self->depth ? self->depth : usual_depth(self->strategy, turn / 2);
	return true;
}

static void walk_learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

static void walk_free(struct planner *planner)
{
	free(planner);
}

struct planner *planner_walk_new(const struct hints *hints, uint32_t strategy, uint64_t seed, uint64_t depth,
				 bool is_hot_first)
{
	struct walk *self = mem_alloc(sizeof *self);
	*self = (struct walk){
		.planner = { .next = walk_next, .learn = walk_learn, .free = walk_free },
		.hints = hints,
		.strategy = strategy,
		.seed = seed,
		.depth = depth,
		.is_hot_first = is_hot_first,
	};
	return &self->planner;
}
