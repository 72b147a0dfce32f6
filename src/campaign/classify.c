/*
 * classify.c: which data race matters. Of each race both orders are run: the recorded schedule as it was, and the same with the
 * thread of the first access held before it until the other has made its own (world/schedule/ordered.c); then both go on, once as the
 * steps of the recorded schedule say and several times at random. The runs are schedules like others: from the fork
 * server, with real inputs, so a new path finds what it needs. How they end decides (model/verdict.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "campaign/test_priv.h"
#include "judge/second_pass.h"
#include "narrate/verdict.h"

/* Events that a thread is held back for, as a multiple of those of the recorded run; and at least. */
#define HOLD_FACTOR 5u
#define HOLD_LEAST 20000u

/* A run to make. */
struct wanted {
	bool is_other;
	struct heddle_hold hold;
	uint64_t seed;
};

struct classifying {
	struct planner planner; /* first: it is one */
	struct test *test;
	struct finding *race;
	struct steps steps;
	uint64_t hot[2];
	uint32_t hot_count;
	struct wanted *wanted;
	size_t wanted_count, asked;
	struct witness *witnesses; /* of those that were made, in the same order */
	size_t witness_count;
	uint64_t recorded_hash;  /* of the events of the recorded run */
	struct strings failures; /* what witnesses fail by */
	struct strings summaries;
};

static bool next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct classifying *self = (struct classifying *)planner;
	(void)reason;
	if (self->asked == self->wanted_count)
		return false;
	const struct wanted *wanted = &self->wanted[self->asked++];
	*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_ORDERED,
			       .flags = HEDDLE_CONTROL_HOT,
			       .seed = wanted->seed,
			       .hot = self->hot,
			       .hot_count = self->hot_count,
			       .steps = self->steps.items,
			       .step_count = (uint32_t)self->steps.count,
			       .hold = wanted->hold };
	return true;
}

static void learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

/* The recorded schedule as it was must be that run again. */
static enum witness_order order_of(const struct classifying *self, const struct wanted *wanted,
				   const struct campaign_run *run)
{
	if (!wanted->hold.event)
		return run->result.event_hash == self->recorded_hash ? WITNESS_MADE : WITNESS_UNKNOWN;
	switch ((enum heddle_hold_state)run->control->channel->hold_state) {
	case HEDDLE_HOLD_MADE:
		return WITNESS_MADE;
	case HEDDLE_HOLD_ALONE:
	case HEDDLE_HOLD_WAITING:
		return WITNESS_IMPOSSIBLE;
	case HEDDLE_HOLD_NONE:
	case HEDDLE_HOLD_LOST:
	case HEDDLE_HOLD_HELD:
	case HEDDLE_HOLD_SPENT:
	case HEDDLE_HOLD_UNCLEAR:
		break;
	}
	return WITNESS_UNKNOWN;
}

/* Adds what people call the failure: the finding of the test that it is, or its own words. */
static void name_failure(struct classifying *self, const struct finding *now)
{
	const struct finding *known = findings_get(&self->test->judge.findings, now->identity.kind, now->identity.key);
	const char *summary = known && known->presentation.summary.data ? known->presentation.summary.data
			      : now->presentation.summary.data          ? now->presentation.summary.data
									: kinds[now->identity.kind].title;
	char *name = known && known->identity.number ? mem_format("H%" PRIu64 " %s", known->identity.number, summary)
						     : mem_copy_string(summary);
	strings_add(&self->summaries, name);
	free(name);
}

/* The failure that the run ends in, or the memory error that it has; null: none. Judged as the schedules of the test are. */
static const char *failure_of(struct classifying *self, const struct campaign_run *run, const struct lesson *learned,
			      struct judged *judged)
{
	struct test *test = self->test;
	struct judge judge = test->judge;
	struct report report;
	const char *found = NULL;
	judge.findings = (struct findings){ 0 };
	judge.known = NULL;
	report_parse(&report, learned->report, learned->report_bytes);
	judge_run(&judge, run, &report, judged);
	for (size_t i = 0; i < judge.findings.count && !found; i++) {
		const struct finding *now = judge.findings.items[i];
		if (!(kinds[now->identity.kind].traits & KIND_REDUCIBLE) ||
		    now->identity.kind == FINDING_OUTPUT_DIFFERS)
			continue;
		char *failure = mem_format("%s %s", kinds[now->identity.kind].word, now->identity.key);
		strings_add(&self->failures, failure);
		name_failure(self, now);
		found = self->failures.items[self->failures.count - 1];
		free(failure);
	}
	findings_release(&judge.findings);
	struct findings kept = test->judge.findings;
	test->judge = judge;
	test->judge.findings = kept;
	test->judge.known = &test->known;
	report_release(&report);
	return found;
}

/* The user's own check judges a run that exits, and then nothing else does. */
static int check(struct classifying *self, const struct campaign_run *run, const char **failure, struct err *err)
{
	struct test *test = self->test;
	struct buf said = { 0 };
	char *how = NULL;
	if (!test->check.words.count || run->result.outcome != HEDDLE_OUTCOME_EXIT)
		return 0;
	int code = check_run(&test->check, run, test->request->is_stopped, &how, &said, err);
	if (code == 0 && how) {
		strings_add(&self->failures, how);
		strings_add(&self->summaries, "the check failed");
		*failure = self->failures.items[self->failures.count - 1];
	}
	free(how);
	buf_release(&said);
	return code > 0 || code == -EINTR ? 0 : code;
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct classifying *self = context;
	const struct wanted *wanted = &self->wanted[self->witness_count];
	struct judged judged = { 0 };
	const bool is_compared = self->test->judge.output != JUDGE_OUTPUT_IGNORED && !self->test->judge.is_checked;
	const char *failure = failure_of(self, run, learned, &judged);
	int code = failure ? 0 : check(self, run, &failure, err);
	if (code < 0)
		return code;
	self->witnesses[self->witness_count++] = (struct witness){
		.is_other = wanted->is_other,
		.order = order_of(self, wanted, run),
		.failure = failure,
		.is_lost = judged.is_lost,
		.status = is_compared ? run->result.status : 0,
		.output = is_compared && run->capture ? capture_lines(run->capture) : 0,
	};
	test_progress(self->test);
	return 0;
}

/* Runs all that is wanted. Returns 0, or a negative errno with err set. */
static int serve(struct classifying *self, struct err *err)
{
	struct campaign campaign = self->test->campaign;
	campaign.planner = &self->planner;
	campaign.known = NULL;
	campaign.jobs = 1;
	campaign.runs = 0;
	campaign.audits = 0;
	campaign.seconds = test_is_timed(self->test) ? test_deadline(self->test) - time_now_seconds() : 0;
	if (test_is_timed(self->test) && campaign.seconds <= 0)
		return err_set(err, ETIME, "there is no time left");
	campaign.take = take;
	campaign.wait = NULL;
	campaign.context = self;
	return campaign_serve(&campaign, err);
}

/* event: when the first thread goes on to its access, or to a lock before it (is_lock). The first run of the recorded order is the recorded schedule
 * itself. */
static void want(struct classifying *self, bool is_other, uint64_t event, bool is_lock, bool is_random)
{
	const struct report_race *race = &self->race->evidence.race;
	struct wanted *wanted = &self->wanted[self->wanted_count];
	const uint64_t budget = HOLD_FACTOR * race->event;
	*wanted = (struct wanted){ .is_other = is_other, .seed = self->race->evidence.plan.seed + self->wanted_count };
	if (is_other || is_random)
		wanted->hold = (struct heddle_hold){ .event = event,
						     .first_place = is_lock ? 0 : race->earlier.place,
						     .second_place = race->later.place,
						     .address = race->address,
						     .size_bytes = race->size,
						     .first_thread = race->earlier.thread,
						     .second_thread = race->later.thread,
						     .budget = budget > HOLD_LEAST ? budget : HOLD_LEAST,
						     .is_after = !is_other,
						     .is_random = is_random };
	self->wanted_count++;
}

static int compare_places(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static int prepare(struct classifying *self, struct err *err)
{
	const struct report_race *race = &self->race->evidence.race;
	struct trace recorded;
	trace_init(&recorded);
	int code = trace_read(self->race->evidence.trace, &recorded, err);
	if (code == 0)
		code = test_find_steps(self->test, &recorded, &self->steps, err);
	if (code == 0 && !self->steps.count && recorded.result.switch_count)
		code = err_set(err, EFBIG, "its schedule has too many switches");
	self->recorded_hash = recorded.result.event_hash;
	steps_sort(self->steps.items, self->steps.count);
	trace_free(&recorded);
	self->hot[self->hot_count++] = race->later.place;
	if (race->earlier.place != race->later.place)
		self->hot[self->hot_count++] = race->earlier.place;
	qsort(self->hot, self->hot_count, sizeof *self->hot, compare_places);
	return code;
}

/* Where to hold the first thread: before its access, or before the outermost lock that it has there, which the other
 * may need. 0: not known. */
static uint64_t first_event(struct classifying *self, bool is_at_lock, struct err *err)
{
	struct second_pass second;
	uint64_t event = 0;
	if (second_pass(&second, &self->race, 1, test_keep_deadline(self->test), err) == 0 && second.looks[0].is_seen) {
		const struct report_watch *earlier = second_look_watch(&second.looks[0], SECOND_EARLIER);
		event = earlier ? earlier->event : 0;
		for (size_t i = 0; event && is_at_lock && i < earlier->held_count; i++)
			event = earlier->held[i].event < event ? earlier->held[i].event : event;
	}
	second_pass_release(&second);
	return event;
}

static bool is_blocked(const struct classifying *self)
{
	bool is_made = false, is_impossible = false;
	for (size_t i = 0; i < self->witness_count; i++) {
		is_made |= self->witnesses[i].is_other && self->witnesses[i].order == WITNESS_MADE;
		is_impossible |= self->witnesses[i].is_other && self->witnesses[i].order == WITNESS_IMPOSSIBLE;
	}
	return is_impossible && !is_made;
}

static int run_orders(struct classifying *self, uint64_t count, struct err *err)
{
	uint64_t event = first_event(self, false, err);
	if (!event)
		return err->message[0] ? -EINVAL : err_set(err, EINVAL, "the first access was not seen again");
	self->wanted = mem_alloc(3 * (count + 1) * sizeof *self->wanted);
	self->witnesses = mem_alloc(3 * (count + 1) * sizeof *self->witnesses);
	for (uint64_t i = 0; i < count; i++) {
		want(self, false, event, false, i > 0);
		want(self, true, event, false, i > 0);
	}
	int code = serve(self, err);
	uint64_t lock = code == 0 && is_blocked(self) ? first_event(self, true, err) : event;
	if (code < 0 || !lock || lock >= event)
		return code;
	for (uint64_t i = 0; i < count; i++)
		want(self, true, lock, true, i > 0);
	return serve(self, err);
}

/* What the witness that shows the class failed by, in words; null: there is none. */
static const char *failure_words(const struct classifying *self, const struct verdict *verdict)
{
	const char *failure = verdict->shows == SIZE_MAX ? NULL : self->witnesses[verdict->shows].failure;
	for (size_t i = 0; i < self->failures.count; i++)
		if (self->failures.items[i] == failure)
			return self->summaries.items[i];
	return NULL;
}

static bool is_access(const struct report_access *access)
{
	return access->kind == REPORT_READ || access->kind == REPORT_WRITE || access->kind == REPORT_ATOMIC_READ ||
	       access->kind == REPORT_ATOMIC_WRITE;
}

static bool is_race(const struct finding *finding)
{
	return finding->identity.kind == FINDING_DATA_RACE && finding->evidence.origin == FINDING_OF_RACE &&
	       !finding->identity.suppression;
}

static void release(struct classifying *self)
{
	steps_release(&self->steps);
	strings_release(&self->failures);
	strings_release(&self->summaries);
	free(self->wanted);
	free(self->witnesses);
}

static void classify(struct test *test, struct finding *race)
{
	struct classifying self = { .planner = { .next = next, .learn = learn }, .test = test, .race = race };
	const struct report_race *pair = &race->evidence.race;
	struct err err = ERR_INIT;
	int code;
	/* A call of free or malloc is not an event, so no thread can be held there. */
	if (!is_access(&pair->earlier) || !is_access(&pair->later))
		code = err_set(&err, ENOTSUP, "one of the accesses is a call that frees or allocates the memory");
	else if (!race->evidence.trace)
		code = err_set(&err, ENOENT, "it has no trace");
	else
		code = prepare(&self, &err);
	if (code == 0)
		code = run_orders(&self, test->request->witnesses, &err);
	struct verdict *verdict = &race->evidence.verdict;
	*verdict = verdict_of(self.witnesses, self.witness_count);
	race->evidence.has_verdict = true;
	buf_release(&race->presentation.verdict);
	if (code < 0)
		buf_format(&race->presentation.verdict, "is undecided: %s", err.message);
	else
		verdict_tell(&race->presentation.verdict, race, failure_words(&self, verdict),
			     verdict->shows != SIZE_MAX && self.witnesses[verdict->shows].is_other);
	test->listener->classified(test->listener->context, test, race);
	release(&self);
}

void test_classify(struct test *self)
{
	for (size_t i = 0; i < self->judge.findings.count && !test_is_stopped(self); i++)
		if (is_race(self->judge.findings.items[i]))
			classify(self, self->judge.findings.items[i]);
}
