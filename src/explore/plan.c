/* plan.c: see planner.h. */
#include <string.h>

#include "explore/planner.h"

static uint32_t put(void *to, const void *from, uint32_t count, uint32_t limit, size_t size_bytes)
{
	count = count < limit ? count : limit;
	if (count)
		memcpy(to, from, count * size_bytes);
	return count;
}

void plan_put(const struct plan *plan, struct heddle_channel *channel)
{
	channel->hot_count = put(channel->hot, plan->hot, plan->hot_count, HEDDLE_HOT_SITES, sizeof *plan->hot);
	channel->step_count = put(channel->steps, plan->steps, plan->step_count, HEDDLE_STEPS, sizeof *plan->steps);
	channel->weight_count =
		put(channel->weights, plan->weights, plan->weight_count, HEDDLE_WEIGHTS, sizeof *plan->weights);
	channel->wish_count = put(channel->wishes, plan->wishes, plan->wish_count, HEDDLE_WISHES, sizeof *plan->wishes);
	channel->lock_pair_count = put(channel->lock_pairs, plan->lock_pairs, plan->lock_pair_count, HEDDLE_LOCK_PAIRS,
				       sizeof *plan->lock_pairs);
	channel->hold = plan->hold;
	channel->hold_state = HEDDLE_HOLD_NONE;
	memset(channel->seen, 0, sizeof channel->seen);
	memset(channel->skipped, 0, sizeof channel->skipped);
	channel->reported_weight_count = channel->choice_count = channel->pair_count = channel->reported_step_count = 0;
	channel->lost_choices = channel->lost_steps = channel->point_count = 0;
}

/* Multiples of a number that fractions approximate badly are far apart: the square root of 2. The golden ratio is worse here,
 * because it is the step of the random numbers that a seed leads to. */
uint64_t plan_first_seed(uint64_t seed)
{
	return 1 + (seed - 1) * 0x6a09e667f3bcc909ul;
}
