/*
 * explore_driver.c: schedules of a program as a planner wants them.
 *   explore_driver PLANNER SEED DEPTH RUNS JOBS DETECT STOP PROG ARGS...
 * DETECT: 1 with detection. STOP: 1 at the first schedule that does not exit with 0; 2: there, too, and that one is then
 * minimised.
 * Prints for each schedule
 *   run NUMBER STRATEGY FLAGS SEED DEPTH steps N wishes N: OUTCOME STATUS EVENTS HASH OUTPUT
 * and at the end
 *   end RUNS DIFFERENT FAILED FIRST-FAILURE LAST-WORDS
 * and of the minimised one
 *   minimised CONFIRMED FEWEST RUNS SWITCHES PREEMPTIONS of SWITCHES PREEMPTIONS
 *   step THREAD EVENT HOW NEXT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/run_request.h"
#include "explore/campaign.h"
#include "explore/minimise.h"

struct tally {
	uint64_t failed, first_failure;
	int stop;
	/* The first failure. */
	struct plan plan;
	struct trace_result result;
	struct steps steps;
	uint64_t hot[HEDDLE_HOT_SITES];
	uint32_t hot_count;
};

static bool is_failure(const struct trace_result *result)
{
	return result->outcome != HEDDLE_OUTCOME_EXIT || result->status != 0;
}

static void keep(struct tally *self, const struct campaign_run *run)
{
	self->plan = run->plan;
	self->result = run->result;
	self->hot_count = run->control->channel->hot_count;
	memcpy(self->hot, run->control->channel->hot, sizeof self->hot);
	steps_take(&self->steps, run->control->channel);
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct tally *self = context;
	const struct trace_result *result = &run->result;
	(void)err;
	learned->is_failure = is_failure(result);
	printf("run %" PRIu64 " %u %u %" PRIu64 " %" PRIu64 " steps %u wishes %u: %u %d %" PRIu64 " %016" PRIx64
	       " %016" PRIx64 "\n",
	       run->number, run->plan.strategy, run->plan.flags, run->plan.seed, run->plan.depth, run->plan.step_count,
	       run->plan.wish_count, result->outcome, result->status, result->event_count, result->event_hash,
	       result->output_hash);
	self->failed += learned->is_failure;
	if (learned->is_failure && !self->first_failure) {
		self->first_failure = run->number;
		keep(self, run);
	}
	return learned->is_failure && self->stop;
}

static int take_again(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct tally *self = context;
	(void)err;
	learned->is_failure = run->result.outcome == self->result.outcome && run->result.status == self->result.status;
	return 0;
}

static size_t preemptions(const struct heddle_step *steps, size_t count)
{
	size_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += step_is_preemption(&steps[i]);
	return sum;
}

static int minimise(struct campaign *campaign, struct tally *tally, struct err *err)
{
	struct minimise_result result;
	campaign->planner = minimise_new(&tally->steps, tally->plan.seed, tally->hot, tally->hot_count, 2000);
	campaign->runs = 0;
	campaign->jobs = 1;
	campaign->take = take_again;
	int code = campaign_serve(campaign, err);
	minimise_result(campaign->planner, &result);
	printf("minimised %d %d %" PRIu64 " %zu %zu of %zu %zu\n", result.is_confirmed, result.is_fewest, result.runs,
	       result.step_count, result.preemption_count, tally->steps.count,
	       preemptions(tally->steps.items, tally->steps.count));
	for (size_t i = 0; i < result.step_count; i++)
		printf("step %u %" PRIu64 " %" PRIu64 " %u\n", result.steps[i].thread, result.steps[i].when / HEDDLE_WHEN,
		       result.steps[i].when % HEDDLE_WHEN, result.steps[i].next);
	campaign->planner->free(campaign->planner);
	return code;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct trace trace;
	static struct tally tally;
	if (argc < 9)
		return 2;
	trace_init(&trace);
	const struct run_request request = {
		.program = argv + 8,
		.seed = RUN_NUMBER_NONE,
		.depth = RUN_NUMBER_NONE,
		.length = RUN_NUMBER_NONE,
		.budget = 200000,
		.is_detecting = atoi(argv[6]),
		.hang = RUN_NUMBER_NONE,
	};
	tally.stop = atoi(argv[7]);
	struct campaign campaign = {
		.trace = &trace,
		.setup = { .flags = HEDDLE_CONTROL_SERVER | HEDDLE_CONTROL_DISCARD,
			   .is_unattended = true },
		.planner = planner_named_new(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), NULL),
		.runs = strtoull(argv[4], NULL, 10),
		.jobs = strtoull(argv[5], NULL, 10),
		.input_fd = -1,
		.take = take,
		.context = &tally,
	};
	if (tally.stop == 2)
		campaign.setup.flags |= HEDDLE_CONTROL_STEPS;
	int code = campaign.planner ? run_describe(&trace, &request, &err) : -1;
	if (code == 0)
		code = campaign_serve(&campaign, &err);
	printf("end %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", campaign.answered, campaign.distinct,
	       tally.failed, tally.first_failure, campaign.reason ? campaign.reason : "");
	if (campaign.planner)
		campaign.planner->free(campaign.planner);
	if (code == 0 && tally.stop == 2 && tally.first_failure)
		code = minimise(&campaign, &tally, &err);
	if (code < 0)
		err_print(&err, "explore_driver");
	steps_release(&tally.steps);
	trace_free(&trace);
	return code < 0;
}
