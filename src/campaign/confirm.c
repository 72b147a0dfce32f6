/*
 * confirm.c: a second run of a schedule that seems to be a livelock or a hang, with limits that are many times larger.
 * The limits of a test follow from the schedules that ended, and another one may take much longer than those. Strategies do not
 * depend on these limits, so the second run repeats the first and continues from there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "campaign/test_priv.h"

#define EVENTS_LEAST 20000000ull
#define EVENTS_FACTOR 3ull
#define SECONDS_LEAST 6u
#define SECONDS_FACTOR 3u

struct confirming {
	struct test *test;
	test_take *take;
	enum confirmed confirmed;
};

/* Of the plan. The planner's own may have changed since; those in the channel are this schedule's. */
struct lists {
	uint64_t *hot;
	struct heddle_step *steps;
	struct heddle_weight *weights;
	struct heddle_wish *wishes;
	struct heddle_lock_pair *lock_pairs;
};

static uint32_t at_most(uint32_t count, uint32_t limit)
{
	return count < limit ? count : limit;
}

static void *copy(const void *from, uint32_t count, size_t size_bytes)
{
	void *to = mem_alloc((count + 1) * size_bytes);
	memcpy(to, from, count * size_bytes);
	return to;
}

static void copy_lists(struct lists *lists, struct plan *plan, const struct heddle_channel *channel)
{
	plan->hot_count = at_most(plan->hot_count, HEDDLE_HOT_SITES);
	plan->step_count = at_most(plan->step_count, HEDDLE_STEPS);
	plan->weight_count = at_most(plan->weight_count, HEDDLE_WEIGHTS);
	plan->wish_count = at_most(plan->wish_count, HEDDLE_WISHES);
	plan->lock_pair_count = at_most(plan->lock_pair_count, HEDDLE_LOCK_PAIRS);
	plan->hot = lists->hot = copy(channel->hot, plan->hot_count, sizeof *lists->hot);
	plan->steps = lists->steps = copy(channel->steps, plan->step_count, sizeof *lists->steps);
	plan->weights = lists->weights = copy(channel->weights, plan->weight_count, sizeof *lists->weights);
	plan->wishes = lists->wishes = copy(channel->wishes, plan->wish_count, sizeof *lists->wishes);
	plan->lock_pairs = lists->lock_pairs =
		copy(channel->lock_pairs, plan->lock_pair_count, sizeof *lists->lock_pairs);
	plan->extra = NULL;
}

static void release_lists(struct lists *lists)
{
	free(lists->hot);
	free(lists->steps);
	free(lists->weights);
	free(lists->wishes);
	free(lists->lock_pairs);
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct confirming *self = context;
	bool is_stuck = run->result.outcome == HEDDLE_OUTCOME_LIVELOCK || run->result.outcome == HEDDLE_OUTCOME_HANG;
	self->confirmed = is_stuck ? CONFIRMED_STUCK : CONFIRMED_ENDS;
	return is_stuck ? 0 : self->take(self->test, run, learned, err);
}

static void wait(void *context)
{
	const struct confirming *self = context;
	test_progress(self->test);
}

/* Until the campaign ends; 0: no limit. */
static double seconds_left(const struct test *self)
{
	return self->campaign.seconds > 0 ? self->began + self->campaign.seconds - time_now_seconds() : 0;
}

int test_confirm(struct test *self, const struct campaign_run *run, test_take *take_ended, enum confirmed *confirmed,
		 struct err *err)
{
	struct confirming confirming = { self, take_ended, CONFIRMED_NOT };
	struct campaign campaign = self->campaign;
	const uint64_t kept = self->trace.request.event_budget, budget = run->request.event_budget * EVENTS_FACTOR;
	const uint64_t seconds = campaign.setup.quiet_seconds * SECONDS_FACTOR;
	struct plan plan = run->plan;
	struct lists lists;
	int code = 0;
	copy_lists(&lists, &plan, run->control->channel);
	campaign.setup.quiet_seconds = seconds > SECONDS_LEAST ? seconds : SECONDS_LEAST;
	campaign.setup.fair_after = run->control->channel->fair_after;
	campaign.planner = planner_fixed_new(&plan, 1);
	campaign.jobs = campaign.runs = 1;
	campaign.before = run->number - 1;
	campaign.answered = campaign.distinct = 0;
	campaign.left = (struct keeper_left){ 0 };
	campaign.seconds = seconds_left(self);
	campaign.take = take;
	campaign.wait = wait;
	campaign.context = &confirming;
	self->trace.request.event_budget = budget > EVENTS_LEAST ? budget : EVENTS_LEAST;
	if (campaign.seconds >= 0)
		code = campaign_serve(&campaign, err);
	self->trace.request.event_budget = kept;
	keeper_add_left(&self->campaign.left, &campaign.left);
	campaign.planner->free(campaign.planner);
	release_lists(&lists);
	*confirmed = confirming.confirmed;
	return code;
}
