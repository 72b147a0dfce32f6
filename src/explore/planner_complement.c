/*
 * planner_complement.c: pairs of schedules without preemption in opposite orders (Veeraraghavan, Chen, Flinn,
 * Narayanasamy: Detecting and Surviving Data Races using Complementary Schedules, SOSP 2011, section 3). The first pair
 * is by age, then each seed has one. The code that examines all schedules notices when their outcomes and outputs
 * differ.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "explore/planner_priv.h"

struct complement {
	struct planner planner;
	uint64_t seed, planned;
};

static bool complement_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct complement *self = (struct complement *)planner;
	(void)reason;
	uint64_t pair = self->planned / 2, half = self->planned % 2;
	self->planned++;
	*plan = (struct plan){ .seed = self->seed + pair };
	if (pair == 0) {
		plan->strategy = half ? HEDDLE_STRATEGY_REVERSE : HEDDLE_STRATEGY_PRIORITY;
	} else {
		plan->strategy = HEDDLE_STRATEGY_COMPLEMENT;
		plan->depth = half;
	}
	return true;
}

static void complement_learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

static void complement_free(struct planner *planner)
{
	free(planner);
}

struct planner *planner_complement_new(uint64_t seed)
{
	struct complement *self = mem_alloc(sizeof *self);
	*self = (struct complement){
		.planner = { .next = complement_next, .learn = complement_learn, .free = complement_free }, .seed = seed
	};
	return &self->planner;
}
