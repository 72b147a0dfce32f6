/*
 * orders.c: lock orders that could deadlock. A test steers schedules towards each (src/explore/planner_locks.c): the
 * portfolio as soon as it is found, and what is not tried enough then is tried here, when all other schedules have
 * been. What deadlocked is a deadlock with evidence of its own; the rest is reported as it is.
 */
#include "base/time.h"
#include "campaign/test_priv.h"
#include "judge/evidence.h"

#define RUNS_EXTRA 1000u /* at most this many more than the test: by runs, so that the same test reports the same */
#define SECONDS_NET 120.0

/* Of what the user gave, the half of what is left: there may be failures to reduce. */
static double seconds_left(const struct test *self)
{
	if (self->request->seconds == RUN_NUMBER_NONE)
		return SECONDS_NET + self->campaign.elapsed;
	return (self->began + (double)self->request->seconds - time_now_seconds()) / 2;
}

int test_steer(struct test *self, struct err *err)
{
	struct campaign more = self->campaign;
	more.seconds = seconds_left(self);
	if (test_is_stopped(self) || test_has_enough(self) || more.seconds <= 0 || !self->judge.cycles.count ||
	    !more.answered)
		return 0;
	more.planner = planner_locks_new(&self->judge.cycles, plan_first_seed(self->trace.request.seed));
	more.runs = RUNS_EXTRA + self->campaign.answered;
	more.before = self->campaign.answered;
	more.answered = more.distinct = 0;
	more.left = (struct keeper_left){ 0 };
	int code = campaign_serve(&more, err);
	self->steer_runs = more.answered;
	keeper_add_left(&self->campaign.left, &more.left);
	more.planner->free(more.planner);
	return code;
}

int test_report_orders(struct test *self, struct err *err)
{
	struct findings *findings = &self->judge.findings;
	size_t untried = 0;
	for (size_t i = judge_finish(&self->judge); i > 0; i--) {
		struct finding *finding = findings->items[findings->count - i];
		untried += !finding->evidence.cycle->tried;
		if (finding->evidence.trace)
			test_await(self, finding);
	}
	int code = test_detail_rest(self, err);
	if (untried)
		strings_note(&self->notes, "%zu lock order%s not tried: the test ended first", untried,
			     untried == 1 ? " was" : "s were");
	/* The others were confirmed: the deadlock has evidence of its own. */
	for (size_t i = 0; i < self->judge.orders.count; i++)
		if (!test_is_kept(self, self->judge.orders.items[i]->evidence.trace))
			evidence_drop(self->judge.orders.items[i]);
	return code;
}
