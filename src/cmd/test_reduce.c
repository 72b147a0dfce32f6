/*
 * test_reduce.c: what a failure needs: the schedule that it was found in is reduced to the fewest preemptions that still
 * show it (explore/minimise.h), its trace is replaced by that of the reduced one, and that is told in words.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/between.h"
#include "cmd/evidence.h"
#include "cmd/run_priv.h"
#include "cmd/second_pass.h"
#include "cmd/test_priv.h"
#include "explore/minimise.h"

/* How far reducing goes follows from runs and their events, and not from the clock, so that the same test tells the same. */
#define RUNS_MOST 2000u        /* for one finding, ... */
#define EVENTS_MOST 50000000ul /* ... with so many events in all of them, ... */
#define RUNS_ALL 6000u         /* ... and for all findings so many more ... */
#define EVENTS_ALL 150000000ul /* ... than the test itself had */
#define HANGS_MOST 2u          /* each takes its seconds */
#define SECONDS_NET 120.0      /* for one finding, where a run takes long for its events; then it is said */
#define SECONDS_KEEP 10.0      /* for the run that is kept: the others must not be for nothing */

/* What is left for all. */
struct allowance {
	double seconds; /* with --time; else 0 */
	uint64_t runs, events;
};

struct reducing {
	struct test *test;
	struct finding *finding;
	struct planner *planner;
	struct allowance *left;
	uint64_t events; /* that are left for this one */
	uint32_t hangs;
	bool is_last; /* the schedule is run once more, to be kept */
	bool is_cut;  /* the time was up */
	/* Of output that differs: what the schedule without preemptions printed, if it was not what others print. */
	bool has_plain;
	uint64_t plain_sum;
	/* Of a memory error: what the schedule that is kept has. */
	struct report_memory memory;
};

/* Races and lock orders are there whatever the order. */
bool test_is_reducible(const struct finding *finding)
{
	if (finding->is_slow || finding->suppression)
		return false;
	switch (finding->kind) {
	case FINDING_DEADLOCK:
	case FINDING_CRASH:
	case FINDING_ASSERTION:
	case FINDING_MEMORY_ERROR:
	case FINDING_HANG:
	case FINDING_BAD_EXIT:
	case FINDING_OUTPUT_DIFFERS:
	case FINDING_CHECK_FAILED:
		return finding->trace != NULL;
	default:
		return false;
	}
}

static bool fails_check(struct test *test, const struct campaign_run *run, const struct finding *finding)
{
	struct buf said = { 0 };
	struct err ignored = ERR_INIT;
	char *how = NULL;
	int code = check_run(&test->check, run, &test_is_stopped, &how, &said, &ignored);
	bool is_same = code == 0 && how && strcmp(how, finding->key) == 0;
	free(how);
	buf_release(&said);
	return is_same;
}

/* Output may differ in a hundred ways, and a certain one may need a hundred preemptions: when it is known what comes without
 * any, whatever is neither that nor what the others print will do. */
static bool is_same(const struct reducing *self, const struct finding *now)
{
	const struct finding *finding = self->finding;
	if (now->kind != finding->kind || strcmp(now->key, finding->key) != 0)
		return false;
	return now->output_sum == finding->output_sum || (self->has_plain && now->output_sum != self->plain_sum);
}

/* The schedule that is kept prints this. */
static void take_output(struct finding *finding, const struct finding *now)
{
	const char *lines = strchr(now->details.data, '\n');
	if (now->output_sum == finding->output_sum || !lines)
		return;
	char *first = mem_format("%.*s", (int)strcspn(finding->details.data, ","), finding->details.data);
	buf_release(&finding->details);
	buf_format(&finding->details, "%s, + the reduced schedule:%s", first, lines);
	finding->output_sum = now->output_sum;
	free(first);
}

/* Judged as the campaign's own, but not counted among its findings. */
static bool shows(struct reducing *self, const struct campaign_run *run, const struct lesson *learned)
{
	struct test *test = self->test;
	struct finding *finding = self->finding;
	struct judge judge = test->judge;
	struct judged judged;
	struct report report;
	bool is_there = false;
	if (finding->kind == FINDING_CHECK_FAILED)
		return run->result.outcome == HEDDLE_OUTCOME_EXIT && fails_check(test, run, finding);
	judge.findings = (struct findings){ 0 };
	report_parse(&report, learned->report, learned->report_bytes);
	judge_run(&judge, run, &report, &judged);
	bool is_plain = run->plan.strategy == HEDDLE_STRATEGY_STEERED && !run->plan.step_count;
	for (size_t i = 0; i < judge.findings.count && !is_there; i++) {
		const struct finding *now = judge.findings.items[i];
		is_there = is_same(self, now);
		if (is_there && self->is_last && finding->kind == FINDING_OUTPUT_DIFFERS)
			take_output(finding, now);
		else if (is_there && now->origin == FINDING_OF_MEMORY)
			self->memory = now->memory;
		else if (is_plain && now->kind == FINDING_OUTPUT_DIFFERS && finding->kind == now->kind &&
			 !self->has_plain)
			self->plain_sum = now->output_sum;
	}
	self->has_plain |= is_plain && finding->kind == FINDING_OUTPUT_DIFFERS;
	findings_release(&judge.findings);
	struct findings kept = test->judge.findings;
	test->judge = judge;
	test->judge.findings = kept;
	report_release(&report);
	return is_there;
}

/* Whether it is enough after this run. */
static bool count_run(struct reducing *self, const struct campaign_run *run)
{
	struct allowance *left = self->left;
	const uint64_t events = run->result.event_count;
	self->test->reduce_runs++;
	left->runs -= left->runs > 0;
	left->events -= events < left->events ? events : left->events;
	self->events -= events < self->events ? events : self->events;
	self->hangs += run->result.outcome == HEDDLE_OUTCOME_HANG;
	return !left->runs || !left->events || !self->events || self->hangs >= HANGS_MOST;
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct reducing *self = context;
	const bool is_enough = count_run(self, run);
	test_say_progress(self->test);
	learned->is_failure = shows(self, run, learned);
	if (!self->is_last)
		return is_enough;
	if (!learned->is_failure)
		return 1;
	char *before = self->finding->trace;
	int code = evidence_keep(self->finding, run, &self->test->trace, true, err);
	if (code < 0)
		return code;
	self->finding->is_reduced = true;
	free(before);
	return 0;
}

static void wait(void *context)
{
	const struct reducing *self = context;
	test_say_progress(self->test);
}

static int serve(struct reducing *self, struct planner *planner, uint64_t runs, struct err *err)
{
	struct campaign campaign = self->test->campaign;
	campaign.planner = planner;
	campaign.jobs = 1;
	campaign.runs = runs;
	campaign.seconds = SECONDS_NET;
	if (self->left->seconds && self->left->seconds < SECONDS_NET)
		campaign.seconds = self->left->seconds;
	if (self->is_last && campaign.seconds < SECONDS_KEEP)
		campaign.seconds = SECONDS_KEEP;
	campaign.take = take;
	campaign.wait = wait;
	campaign.context = self;
	int code = campaign_serve(&campaign, err);
	self->is_cut |= campaign.end == CAMPAIGN_TIME;
	return code;
}

/* One more run, with everything that evidence needs. */
static int keep(struct reducing *self, const struct minimise_result *result, struct err *err)
{
	struct heddle_step *sorted = mem_alloc((result->step_count + 1) * sizeof *sorted);
	if (result->step_count)
		memcpy(sorted, result->steps, result->step_count * sizeof *sorted);
	steps_sort(sorted, result->step_count);
	struct plan plan = {
		.strategy = HEDDLE_STRATEGY_STEERED,
		.flags = result->flags,
		.seed = result->seed,
		.hot = result->hot,
		.hot_count = result->hot_count,
		.steps = sorted,
		.step_count = (uint32_t)result->step_count,
	};
	struct planner *planner = planner_fixed_new(&plan, 1);
	self->is_last = true;
	int code = serve(self, planner, 1, err);
	planner->free(planner);
	free(sorted);
	return code;
}

/* What was told of a memory error is that of the schedule that is kept. */
static void look_again(struct reducing *self)
{
	struct finding *finding = self->finding;
	struct second_pass second;
	struct err ignored = ERR_INIT;
	if (finding->origin != FINDING_OF_MEMORY)
		return;
	finding->memory = self->memory;
	bool is_had = second_pass(&second, finding, &ignored) == 0;
	judge_detail_again(&self->test->judge, finding, is_had ? &second : NULL);
	scene_find_code(&self->test->judge.scene, finding);
	second_pass_release(&second);
}

/* Replays the trace for its events. What cannot be had is left out: the finding is told without it. */
static void tell(struct finding *finding, const struct minimise_result *result)
{
	struct err ignored = ERR_INIT;
	struct control control;
	struct trace recorded;
	struct control_setup setup = {
		.flags = HEDDLE_CONTROL_DISCARD, .is_detailed = true, .is_replay = true, .is_unattended = true
	};
	trace_init(&recorded);
	control_init(&control);
	int code = trace_read(finding->trace, &recorded, &ignored);
	struct trace now = recorded;
	now.report = (struct buf){ 0 };
	now.log_fd = -1;
	if (code == 0) {
		now.log_fd = recorded.log_fd;
		code = control_start(&control, &now, &setup, &ignored);
		now.log_fd = -1;
	}
	if (code == 0)
		code = control_finish(&control, &now, &ignored);
	if (code == 0) {
		struct events *events = mem_alloc(sizeof *events);
		struct report report;
		events->fd = now.log_fd;
		events->fd_bytes = now.log_bytes;
		events->tail = now.tail;
		events->tail_bytes = now.tail_bytes;
		report_parse(&report, now.report.data, now.report.size);
		struct deeds *deeds = deeds_new(&report);
		between_describe(&finding->needs, result->steps, result->step_count, events, deeds);
		deeds_free(deeds);
		report_release(&report);
		free(events);
	}
	if (now.log_fd >= 0)
		close(now.log_fd);
	buf_release(&now.report);
	control_release(&control);
	trace_free(&recorded);
}

/* The switches of the run that the trace has, from a replay of it. */
static int find_steps(struct trace *recorded, struct steps *steps, struct err *err)
{
	struct control control;
	struct trace now = *recorded;
	struct control_setup setup = { .flags = HEDDLE_CONTROL_DISCARD | HEDDLE_CONTROL_STEPS,
				       .is_replay = true,
				       .is_unattended = true };
	now.report = (struct buf){ 0 };
	int code = control_start(&control, &now, &setup, err);
	now.log_fd = -1;
	if (code == 0)
		code = control_finish(&control, &now, err);
	if (code == 0 && !steps_take(steps, control.channel))
		steps->count = 0;
	buf_release(&now.report);
	control_release(&control);
	return code;
}

static int reduce(struct test *test, struct finding *finding, struct allowance *left, struct err *err)
{
	struct reducing self = { .test = test, .finding = finding, .left = left, .events = EVENTS_MOST };
	struct minimise_result result;
	struct trace recorded;
	struct steps steps = { 0 };
	trace_init(&recorded);
	int code = trace_read(finding->trace, &recorded, err);
	if (code == 0)
		code = find_steps(&recorded, &steps, err);
	if (code == 0) {
		self.planner = minimise_new(&steps, recorded.ask.seed, NULL, 0, RUNS_MOST);
		code = serve(&self, self.planner, 0, err);
		minimise_result(self.planner, &result);
		if (code == 0 && result.is_confirmed)
			code = keep(&self, &result, err);
		if (code == 0 && finding->is_reduced) {
			finding->preemptions = (uint32_t)result.preemption_count;
			finding->is_fewest = result.is_fewest;
			if (self.is_cut)
				test_note(&test->notes,
					  "the time to reduce H%" PRIu64
					  " was up: how far that comes differs from test to test",
					  finding->number);
			look_again(&self);
			tell(finding, &result);
		}
		self.planner->free(self.planner);
	}
	steps_release(&steps);
	trace_free(&recorded);
	return code;
}

/* With --time the campaign has left some of it. */
static double seconds_left(const struct test *self)
{
	if (test_asked.seconds == RUN_NUMBER_NONE)
		return 0;
	double left = self->began + (double)test_asked.seconds - test_now();
	return left > 0 ? left : -1;
}

static void reduce_one(struct test *self, struct finding *finding, struct allowance *left)
{
	struct err err = ERR_INIT;
	char *before = mem_copy_string(finding->trace);
	self->reduced = finding;
	if (reduce(self, finding, left, &err) < 0)
		test_note(&self->notes, "H%" PRIu64 " could not be reduced: %s", finding->number, err.message);
	else if (finding->is_reduced && test_store_needs(self, finding, &err) < 0)
		test_note(&self->notes, "what H%" PRIu64 " needs could not be stored: %s", finding->number,
			  err.message);
	else if (finding->is_reduced && finding->number)
		unlink(before); /* Nothing refers to it any more; what was told names the finding. */
	free(before);
	if (finding->is_reduced)
		test_say_reduced(self, finding);
	else
		test_say_found(self, finding);
}

void test_reduce(struct test *self)
{
	double began = test_now();
	struct allowance left = { .runs = RUNS_ALL + self->campaign.answered,
				  .events = EVENTS_ALL + self->event_count };
	for (size_t i = 0; i < self->judge.findings.count && !test_is_stopped; i++) {
		struct finding *finding = self->judge.findings.items[i];
		if (!test_is_reducible(finding))
			continue;
		left.seconds = seconds_left(self);
		if (left.seconds >= 0 && left.runs && left.events) {
			reduce_one(self, finding, &left);
			continue;
		}
		if (left.seconds < 0)
			test_note(&self->notes, "there was no time to reduce the failure H%" PRIu64, finding->number);
		else
			test_note(&self->notes,
				  "the failure H%" PRIu64
				  " was not reduced: the others took all runs that there are for that",
				  finding->number);
		test_say_found(self, finding);
	}
	self->reduce_seconds = test_now() - began;
}
