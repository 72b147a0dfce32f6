/*
 * planner.c: see planner.h. PCT (Burckhardt and others, "A Randomized Scheduler with Probabilistic Guarantees of Finding
 * Bugs", ASPLOS 2010, section 3) needs to know about how many events a run has: that is learned from the runs.
 */
#include "explore/planner.h"

#include <stdlib.h>

#include "base/mem.h"
#include "heddle/abi.h"

struct fixed {
	struct planner planner;
	struct plan plan;
	uint64_t repeat, planned;
};

static bool fixed_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct fixed *self = (struct fixed *)planner;
	(void)reason;
	*plan = self->plan;
	plan->seed += self->planned++ / self->repeat;
	return true;
}

static void learn_nothing(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

static void free_planner(struct planner *planner)
{
	free(planner);
}

struct planner *planner_fixed_new(const struct plan *plan, uint64_t repeat)
{
	struct fixed *self = mem_alloc(sizeof *self);
	*self = (struct fixed){
		.planner = { .next = fixed_next, .learn = learn_nothing, .free = free_planner },
		.plan = *plan,
		.repeat = repeat,
	};
	return &self->planner;
}

struct rotating {
	struct planner planner;
	uint64_t seed, planned;
	uint64_t length; /* events of the longest run that ended by itself */
};

static const struct {
	uint32_t strategy;
	uint64_t depth;
} turns[] = {
	{ HEDDLE_STRATEGY_RANDOM, 0 }, { HEDDLE_STRATEGY_PCT, 2 }, { HEDDLE_STRATEGY_RANDOM, 0 },
	{ HEDDLE_STRATEGY_PCT, 3 },    { HEDDLE_STRATEGY_PCT, 4 },
};

#define TURN_COUNT (sizeof turns / sizeof *turns)

static bool rotating_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct rotating *self = (struct rotating *)planner;
	size_t turn = self->planned % TURN_COUNT;
	(void)reason;
	*plan = (struct plan){
		.strategy = turns[turn].strategy,
		.depth = turns[turn].depth,
		.length = self->length,
		.seed = self->seed + self->planned++,
	};
	return true;
}

static void rotating_learn(struct planner *planner, const struct lesson *lesson)
{
	struct rotating *self = (struct rotating *)planner;
	const struct trace_result *result = lesson->result;
	if (result && result->outcome == HEDDLE_OUTCOME_EXIT && result->event_count > self->length)
		self->length = result->event_count;
}

struct planner *planner_rotating_new(uint64_t seed)
{
	struct rotating *self = mem_alloc(sizeof *self);
	*self = (struct rotating){ .planner = { .next = rotating_next, .learn = rotating_learn, .free = free_planner },
				   .seed = seed };
	return &self->planner;
}
