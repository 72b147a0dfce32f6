/*
 * reduce.c: what a failure needs: the schedule that it was found in is reduced to the fewest preemptions that still
 * show it (explore/minimise.h), its trace is replaced by that of the reduced one, and that is described in words. When
 * an earlier test of the same build has done that, its schedule is run once instead.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "campaign/test_priv.h"
#include "explore/minimise.h"
#include "judge/evidence.h"
#include "judge/second_pass.h"
#include "store/sweep.h"

/* How far reducing goes follows from runs and their events, and not from the clock, so that the same test reports the
 * same. For all failures together it is in proportion to the test, whose length people choose by how long they want to
 * wait. */
#define RUNS_LEAST 500u         /* without --reduce: this many runs, ... */
#define EVENTS_LEAST 50000000ul /* ... with this many events in all of them, ... */
#define TEST_FACTOR 2u          /* ... or this many times those of the test */
#define RUNS_TIMED 2000u        /* with a limit of time alone: for each */
#define RUNS_ONE 2u             /* one needs at least: to see that it shows, and to keep it */
#define MAX_HANGS 2u            /* each takes its seconds */
#define SECONDS_LEAST 0.001
#define SECONDS_NET 120.0 /* for one finding, where a run takes long for its events; then the report says so */

/* What is left for all. */
struct allowance {
	double until; /* with --time: of the monotonic clock, when the search for a smaller schedule ends; else 0 */
	uint64_t runs, events;
	size_t findings; /* to share it: each gets the same part of what those before it left */
};

/* What an earlier test made of the same failure. */
struct earlier {
	struct store_reduced stored;
	struct trace recorded;
	struct steps steps;
	bool is_present; /* and the trace is what the store says of it */
};

struct reducing {
	struct test *test;
	struct finding *finding;
	struct allowance *left;
	uint64_t runs, events;         /* that are left for this one */
	const struct earlier *earlier; /* whose schedule is run; null: it is not about that */
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
	return kinds[finding->identity.kind].traits & KIND_REDUCIBLE && !finding->evidence.is_slow &&
	       !finding->evidence.is_from_log && !finding->identity.suppression && finding->evidence.trace;
}

static bool fails_check(struct test *test, const struct campaign_run *run, const struct finding *finding)
{
	struct buf check_output = { 0 };
	struct err ignored = ERR_INIT;
	char *how = NULL;
	int code = check_run(&test->check, run, test->request->is_stopped, &how, &check_output, &ignored);
	bool is_same = code == 0 && how && strcmp(how, finding->identity.key) == 0;
	free(how);
	buf_release(&check_output);
	return is_same;
}

/* Output may differ in a hundred ways, and a certain one may need a hundred preemptions: when it is known what comes without
 * any, whatever is neither that nor what the others print will do. */
static bool is_same(const struct reducing *self, const struct finding *now)
{
	const struct finding *finding = self->finding;
	/* Its key may have come with its details, which this run has not; then the one before is still known. */
	if (findings_get(&self->test->judge.findings, now->identity.kind, now->identity.key) != finding)
		return false;
	return self->earlier || now->evidence.output_sum == finding->evidence.output_sum ||
	       (self->has_plain && now->evidence.output_sum != self->plain_sum);
}

/* The schedule that is kept prints this. */
static void take_output(struct finding *finding, const struct finding *now)
{
	const char *lines = strchr(now->presentation.details.data, '\n');
	if (now->evidence.output_sum == finding->evidence.output_sum || !lines)
		return;
	char *first = mem_format("%.*s", (int)strcspn(finding->presentation.details.data, ","),
				 finding->presentation.details.data);
	buf_release(&finding->presentation.details);
	buf_format(&finding->presentation.details, "%s, + the reduced schedule:%s", first, lines);
	finding->evidence.output_sum = now->evidence.output_sum;
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
	bool is_present = false;
	if (finding->identity.kind == FINDING_CHECK_FAILED)
		return run->result.outcome == HEDDLE_OUTCOME_EXIT && fails_check(test, run, finding);
	judge.findings = (struct findings){ 0 };
	judge.known = NULL;
	report_parse(&report, learned->report, learned->report_bytes);
	judge_run(&judge, run, &report, &judged);
	bool is_plain = run->plan.strategy == HEDDLE_STRATEGY_STEERED && !run->plan.step_count;
	for (size_t i = 0; i < judge.findings.count && !is_present; i++) {
		const struct finding *now = judge.findings.items[i];
		is_present = is_same(self, now);
		if (is_present && self->is_last && finding->identity.kind == FINDING_OUTPUT_DIFFERS)
			take_output(finding, now);
		else if (is_present && now->evidence.origin == FINDING_OF_MEMORY)
			self->memory = now->evidence.memory;
		else if (is_plain && now->identity.kind == FINDING_OUTPUT_DIFFERS &&
			 finding->identity.kind == now->identity.kind && !self->has_plain)
			self->plain_sum = now->evidence.output_sum;
	}
	self->has_plain |= is_plain && finding->identity.kind == FINDING_OUTPUT_DIFFERS;
	findings_release(&judge.findings);
	struct findings kept = test->judge.findings;
	test->judge = judge;
	test->judge.findings = kept;
	test->judge.known = &test->known;
	report_release(&report);
	return is_present;
}

static void spend(uint64_t *left, uint64_t amount)
{
	*left -= amount < *left ? amount : *left;
}

/* Whether it is enough after this run. */
static bool count_run(struct reducing *self, const struct campaign_run *run)
{
	const uint64_t events = run->result.event_count;
	if (self->earlier)
		return false;
	self->test->reduce_runs++;
	spend(&self->left->runs, 1);
	spend(&self->runs, 1);
	spend(&self->left->events, events);
	spend(&self->events, events);
	self->hangs += run->result.outcome == HEDDLE_OUTCOME_HANG;
	return !self->runs || !self->events || self->hangs >= MAX_HANGS;
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct reducing *self = context;
	const bool is_enough = count_run(self, run);
	test_progress(self->test);
	/* What is known of it is known of exactly that run. */
	if (self->earlier && run->result.event_hash != self->earlier->recorded.result.event_hash)
		return 1;
	learned->is_failure = shows(self, run, learned);
	if (!self->is_last)
		return is_enough;
	if (!learned->is_failure)
		return 1;
	char *before = self->finding->evidence.trace;
	int code = evidence_keep(self->finding, run, &self->test->trace, true, false, err);
	if (code < 0)
		return code;
	self->finding->evidence.is_reduced = true;
	free(before);
	return 0;
}

static void wait(void *context)
{
	const struct reducing *self = context;
	test_progress(self->test);
}

static int serve(struct reducing *self, struct planner *planner, uint64_t runs, struct err *err)
{
	struct campaign campaign = self->test->campaign;
	campaign.planner = planner;
	campaign.is_second_first = false;
	campaign.known = NULL; /* What is looked for is known. */
	campaign.jobs = 1;
	campaign.runs = runs;
	campaign.seconds = SECONDS_NET;
	const double until = self->is_last ? test_keep_deadline(self->test) : self->left->until;
	if (until) {
		const double seconds = until - time_now_seconds();
		campaign.seconds = seconds < SECONDS_LEAST ? SECONDS_LEAST
				   : seconds > SECONDS_NET ? SECONDS_NET
							   : seconds;
	}
	campaign.take = take;
	campaign.wait = wait;
	campaign.context = self;
	int code = campaign_serve(&campaign, err);
	self->is_cut |= campaign.end == CAMPAIGN_TIME;
	return code;
}

/* One more run, with everything that evidence needs. */
static int keep(struct reducing *self, const struct plan *wanted, struct err *err)
{
	struct plan plan = *wanted;
	struct heddle_step *sorted = mem_alloc((plan.step_count + 1) * sizeof *sorted);
	if (plan.step_count)
		memcpy(sorted, plan.steps, plan.step_count * sizeof *sorted);
	steps_sort(sorted, plan.step_count);
	plan.strategy = HEDDLE_STRATEGY_STEERED;
	plan.steps = sorted;
	struct planner *planner = planner_fixed_new(&plan, 1);
	self->is_last = true;
	int code = serve(self, planner, 1, err);
	self->is_last = false;
	planner->free(planner);
	free(sorted);
	return code;
}

/* The description of a memory error is that of the schedule that is kept. */
static void look_again(struct reducing *self)
{
	struct finding *finding = self->finding;
	struct second_pass second;
	struct err why = ERR_INIT;
	if (finding->evidence.origin != FINDING_OF_MEMORY)
		return;
	finding->evidence.memory = self->memory;
	bool has_result =
		second_pass(&second, &finding, 1, test_keep_deadline(self->test), &why) == 0 && second.looks[0].is_seen;
	judge_detail_again(&self->test->judge, finding, has_result ? &second.looks[0] : NULL);
	if (!has_result)
		lacking_add(&self->test->lacking, LACKING_STACKS,
			    why.message[0] ? why.message : "the replay did not reach the reported event",
			    finding->identity.number);
	scene_find_code(&self->test->judge.scene, finding);
	second_pass_release(&second);
}

/* Whether a schedule with these is better: threads that sleep in it sleep for as long as they should. */
static bool is_better(size_t early, size_t preemptions, const struct steps *than)
{
	size_t other = steps_early(than->items, than->count);
	return early < other || (early == other && preemptions <= steps_preemptions(than->items, than->count));
}

/* It is not an error when it is unavailable: then the failure is reduced as if there were none. */
static void find_earlier(struct test *test, const struct finding *finding, struct earlier *earlier)
{
	struct err ignored = ERR_INIT;
	*earlier = (struct earlier){ .is_present = false };
	trace_init(&earlier->recorded);
	if (!finding->identity.number ||
	    store_find_reduced(&test->stored, (int64_t)finding->identity.number, &earlier->stored, &ignored) <= 0)
		return;
	char *path = evidence_of_store(earlier->stored.trace);
	earlier->is_present =
		trace_read(path, &earlier->recorded, &ignored) == 0 && !earlier->recorded.is_foreign &&
		test_find_steps(test, &earlier->recorded, &earlier->steps, NULL, &ignored) == 0 &&
		steps_preemptions(earlier->steps.items, earlier->steps.count) == earlier->stored.preemptions &&
		steps_early(earlier->steps.items, earlier->steps.count) == earlier->stored.early;
	free(path);
}

static void release_earlier(struct earlier *earlier)
{
	store_reduced_release(&earlier->stored);
	trace_free(&earlier->recorded);
	steps_release(&earlier->steps);
}

/* The schedule that this test found it in. */
struct own {
	struct trace recorded;
	struct steps steps;
	bool is_read;
};

static int read_own(const struct reducing *self, struct own *own, struct err *err)
{
	int code = own->is_read ? 0 : trace_read(self->finding->evidence.trace, &own->recorded, err);
	if (code == 0 && !own->is_read)
		code = test_find_steps(self->test, &own->recorded, &own->steps, NULL, err);
	own->is_read = code == 0;
	return code;
}

static void note_unfinished(struct test *test, const struct finding *finding)
{
	strings_note(&test->notes,
		     "H%" PRIu64 " needs no more than %" PRIu32
		     " preemption%s; it was not reduced further: --reduce N allows more runs",
		     finding->identity.number, finding->evidence.preemptions,
		     finding->evidence.preemptions == 1 ? "" : "s");
}

/* Runs its schedule once, so that this test has evidence of its own, and a description of that. When that is another run now, the
 * finding is not reduced. */
static int reuse(struct reducing *self, const struct earlier *earlier, struct err *err)
{
	struct finding *finding = self->finding;
	const struct plan plan = { .seed = earlier->recorded.request.seed,
				   .steps = earlier->steps.items,
				   .step_count = (uint32_t)earlier->steps.count };
	self->earlier = earlier;
	int code = keep(self, &plan, err);
	self->earlier = NULL;
	if (code < 0 || !finding->evidence.is_reduced)
		return code;
	const char *lines = strchr(earlier->stored.needs, '\n');
	finding->evidence.preemptions = earlier->stored.preemptions;
	finding->evidence.early = earlier->stored.early;
	finding->evidence.is_fewest = earlier->stored.is_fewest;
	finding->evidence.is_from_earlier = true;
	text_terminal_lines(&finding->presentation.needs, lines ? lines + 1 : "");
	look_again(self);
	if (!finding->evidence.is_fewest)
		note_unfinished(self->test, finding);
	return 0;
}

static int search(struct reducing *self, const struct steps *steps, uint64_t seed, struct err *err)
{
	struct test *test = self->test;
	struct finding *finding = self->finding;
	struct minimise_result result;
	const uint64_t runs = self->runs - 1; /* One is to keep it. */
	struct planner *planner = minimise_new(steps, seed, NULL, 0, runs);
	int code = serve(self, planner, 0, err);
	minimise_result(planner, &result);
	const struct plan plan = { .flags = result.flags,
				   .seed = result.seed,
				   .hot = result.hot,
				   .hot_count = result.hot_count,
				   .steps = result.steps,
				   .step_count = (uint32_t)result.step_count };
	const bool is_spent = result.runs >= runs || !self->events;
	if (code == 0 && result.is_confirmed)
		code = keep(self, &plan, err);
	else if (code == 0 && !self->is_cut && steps->count >= HEDDLE_STEPS)
		strings_note(&test->notes, "H%" PRIu64 " was not reduced: its schedule has more than %u switches",
			     finding->identity.number, HEDDLE_STEPS);
	else if (code == 0 && !self->is_cut)
		strings_note(&test->notes,
			     "H%" PRIu64
			     " was not reduced: runs with the switches of its schedule did not show it again",
			     finding->identity.number);
	if (code == 0 && finding->evidence.is_reduced) {
		finding->evidence.preemptions = (uint32_t)result.preemption_count;
		finding->evidence.early = (uint32_t)result.early_count;
		finding->evidence.is_fewest = result.is_fewest;
		if (self->is_cut)
			strings_note(&test->notes,
				     "the time to reduce H%" PRIu64 " ran out: the result may differ between tests",
				     finding->identity.number);
		else if (!result.is_fewest && is_spent)
			note_unfinished(test, finding);
		look_again(self);
		test_describe_between(test, finding, result.steps, result.step_count);
	}
	planner->free(planner);
	return code;
}

/* What an earlier test made of it is good enough unless this one has fewer preemptions; that it was not finished then is a reason
 * to go on from there only when the user says how far. */
static int reduce(struct reducing *self, struct err *err)
{
	struct earlier earlier;
	struct own own = { .is_read = false };
	int code = 0;
	trace_init(&own.recorded);
	find_earlier(self->test, self->finding, &earlier);
	bool is_good = earlier.is_present;
	if (is_good && (!earlier.stored.is_fewest || earlier.stored.early)) {
		code = read_own(self, &own, err);
		is_good = code == 0 && is_better(earlier.stored.early, earlier.stored.preemptions, &own.steps);
	}
	const bool is_requested = self->test->request->reduce != RUN_NUMBER_NONE && self->runs >= RUNS_ONE;
	const bool is_going_on = is_good && !earlier.stored.is_fewest && is_requested;
	if (is_going_on)
		code = search(self, &earlier.steps, earlier.recorded.request.seed, err);
	else if (is_good)
		code = reuse(self, &earlier, err);
	if (code == 0 && !self->finding->evidence.is_reduced && self->runs >= RUNS_ONE) {
		code = read_own(self, &own, err);
		if (code == 0)
			code = search(self, &own.steps, own.recorded.request.seed, err);
	}
	steps_release(&own.steps);
	trace_free(&own.recorded);
	release_earlier(&earlier);
	return code;
}

/* With --time the campaign has left some of it. One failure gets the same part of it as the others, or as long as it
 * takes if that is more, and a part of that is for what comes after the search: the schedule is run once more, and
 * replayed for its description. Returns whether there is time. */
static bool share_time(const struct test *self, struct allowance *left)
{
	if (!test_is_timed(self))
		return true;
	const double now = time_now_seconds(), seconds = test_deadline(self) - now, behind = test_detail_seconds(self);
	double own = seconds / (double)left->findings;
	own = own > 2 * behind ? own : 2 * behind;
	own = own < seconds ? own : seconds;
	left->until = now + (own > 2 * behind ? own - behind : own / 2);
	return seconds > 0;
}

static void note_unreduced(struct test *self, const struct finding *finding)
{
	if (self->request->reduce == 0)
		strings_note(
			&self->notes,
			"failures were not reduced, so the preemptions they need are unknown: --reduce 0 allows no "
			"runs for this");
	else
		strings_note(&self->notes,
			     "the failure H%" PRIu64 " was not reduced: too few runs are left; --reduce N allows more",
			     finding->identity.number);
}

static void reduce_one(struct test *self, struct finding *finding, struct allowance *left)
{
	struct err err = ERR_INIT;
	char *before = mem_copy_string(finding->evidence.trace);
	struct reducing reducing = { .test = self,
				     .finding = finding,
				     .left = left,
				     .runs = left->runs / left->findings,
				     .events = left->events / left->findings };
	const bool is_possible = reducing.runs >= RUNS_ONE;
	self->reduced = finding;
	int code = reduce(&reducing, &err);
	if (code == -ETIME)
		test_note_unreduced(self, finding);
	else if (code < 0)
		strings_note(&self->notes, "H%" PRIu64 " could not be reduced: %s", finding->identity.number,
			     err.message);
	else if (finding->evidence.is_reduced && test_store_needs(self, finding, &err) < 0)
		strings_note(&self->notes, "what H%" PRIu64 " needs could not be stored: %s", finding->identity.number,
			     err.message);
	else if (finding->evidence.is_reduced && finding->identity.number)
		unlink(before); /* Nothing refers to it any more; what was reported names the finding. */
	else if (!is_possible)
		note_unreduced(self, finding);
	free(before);
	if (finding->evidence.is_reduced) {
		self->details_until = test_keep_deadline(self);
		self->listener->reduced(self->listener->context, self, finding);
		self->details_until = test_deadline(self);
	} else {
		self->listener->unreduced(self->listener->context, self, finding);
	}
}

static uint64_t at_least(uint64_t number, uint64_t least)
{
	return number > least ? number : least;
}

static void allow(const struct test *self, struct allowance *left)
{
	*left = (struct allowance){
		.runs = at_least(TEST_FACTOR * self->campaign.answered, RUNS_LEAST),
		.events = at_least(TEST_FACTOR * self->event_count, EVENTS_LEAST),
	};
	for (size_t i = 0; i < self->judge.findings.count; i++)
		left->findings += test_is_reducible(self->judge.findings.items[i]);
	if (self->request->reduce != RUN_NUMBER_NONE) {
		left->runs = self->request->reduce;
		left->events = UINT64_MAX;
	} else if (self->request->seconds != RUN_NUMBER_NONE && !self->request->runs) {
		/* A part of the time is for this. */
		left->runs = RUNS_TIMED * left->findings;
		left->events = EVENTS_LEAST * left->findings;
	}
}

void test_reduce(struct test *self)
{
	double began = time_now_seconds();
	struct allowance left;
	allow(self, &left);
	for (size_t i = 0; i < self->judge.findings.count && !test_is_stopped(self); i++) {
		struct finding *finding = self->judge.findings.items[i];
		if (!test_is_reducible(finding))
			continue;
		if (share_time(self, &left)) {
			reduce_one(self, finding, &left);
		} else {
			if (self->request->reduce == 0)
				note_unreduced(self, finding);
			else
				test_note_unreduced(self, finding);
			self->listener->unreduced(self->listener->context, self, finding);
		}
		left.findings--;
	}
	self->reduce_seconds = time_now_seconds() - began;
}
