/*
 * classify_runs.c: the runs of a classification: schedules like others, from the fork server and with real inputs, so that
 * a new path finds what it needs. Each becomes a witness. The first that fails is kept as evidence of what the race leads to, and
 * the first of the other order, so that both orders can be replayed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "campaign/classify_log.h"
#include "judge/evidence.h"
#include "judge/output.h"

/* Events that a thread is held for, as a multiple of those of the recorded run up to the race; and at least. */
#define HOLD_FACTOR 5u
#define HOLD_LEAST 20000u

/* A run that is asked at each access continues after the race for at most this many events of the recorded one. */
#define LOOSE_MOST 200000u
#define LENGTH_LEAST 16u

/* The strategies of random runs, in turn. The first is asked at the two accesses and at synchronisation, right behind the race. The others leave the two
 * threads where they are and are asked at every access: consequences may need a third thread, or another access, in between. */
static const struct {
	uint32_t strategy;
	bool is_loose;
} continuations[] = { { HEDDLE_STRATEGY_RANDOM, false }, { HEDDLE_STRATEGY_POS, true }, { HEDDLE_STRATEGY_PCT, true } };

static bool next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct classifying *self = (struct classifying *)planner;
	(void)reason;
	if (self->asked == self->wanted_count || classify_is_spent(self))
		return false;
	const struct wanted *wanted = &self->wanted[self->asked++];
	*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_ORDERED,
			       .flags = HEDDLE_CONTROL_HOT,
			       .seed = wanted->seed,
			       .length = wanted->length,
			       .hot = wanted->instance->hot,
			       .hot_count = wanted->instance->hot_count,
			       .steps = wanted->instance->steps.items,
			       .step_count = (uint32_t)wanted->instance->steps.count,
			       .hold = wanted->hold };
	return true;
}

static void learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

/* The recorded schedule as it was must be that run again. */
static enum witness_order order_of(const struct wanted *wanted, const struct campaign_run *run)
{
	if (!wanted->hold.event)
		return run->result.event_hash == wanted->instance->recorded_hash ? WITNESS_MADE : WITNESS_UNKNOWN;
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

/* Adds the failure with the name that people know it by: the finding of the test that it is, or its own words. */
static const char *add_failure(struct classifying *self, const struct finding *now)
{
	const struct finding *known = findings_get(&self->test->judge.findings, now->identity.kind, now->identity.key);
	const char *summary = known && known->presentation.summary.data ? known->presentation.summary.data
			      : now->presentation.summary.data          ? now->presentation.summary.data
									: kinds[now->identity.kind].title;
	const uint64_t number = known ? known->identity.number : 0;
	char *failure = mem_format("%s %s", kinds[now->identity.kind].word, now->identity.key);
	char *name = number ? mem_format("H%" PRIu64 " %s", number, summary) : mem_copy_string(summary);
	strings_add(&self->failures, failure);
	strings_add(&self->summaries, name);
	self->consequences = mem_resize(self->consequences, self->failures.count * sizeof *self->consequences);
	self->consequences[self->failures.count - 1] = number;
	free(failure);
	free(name);
	return self->failures.items[self->failures.count - 1];
}

bool classify_is_failure(const struct finding *finding)
{
	return (kinds[finding->identity.kind].traits & KIND_REDUCIBLE) &&
	       finding->identity.kind != FINDING_OUTPUT_DIFFERS;
}

/* The threads that the failure is in, as of struct witness. */
static uint64_t threads_of(const struct finding *failure, const struct campaign_run *run, const struct report *report)
{
	uint64_t threads = 0;
	for (size_t i = 0; failure->evidence.origin == FINDING_OF_MEMORY && i < report->memory_count; i++)
		if (report->memories[i].access.place == failure->evidence.memory.access.place)
			threads |= witness_thread(report->memories[i].access.thread);
	for (size_t i = 0; !threads && run->result.outcome == HEDDLE_OUTCOME_SIGNAL && i < report->thread_count; i++)
		if (strcmp(report->threads[i].state, "running") == 0)
			threads |= witness_thread(report->threads[i].index);
	return threads;
}

/* The failure that the run ends in, or the memory error that it has; null: none. Judged as the schedules of the test are, but nothing becomes
 * a finding of the test. */
static const char *failure_of(struct classifying *self, const struct campaign_run *run, const struct lesson *learned,
			      struct judged *judged, uint64_t *threads)
{
	struct judge *judge = &self->test->judge;
	struct findings kept = judge->findings;
	struct known *known = judge->known;
	struct report report;
	const struct finding *failure = NULL;
	const char *found = NULL;
	judge->findings = (struct findings){ .program = kept.program };
	judge->known = NULL;
	report_parse(&report, learned->report, learned->report_bytes);
	judge_run(judge, run, &report, judged);
	struct findings seen = judge->findings;
	judge->findings = kept;
	judge->known = known;
	for (size_t i = 0; i < seen.count && !failure; i++)
		failure = classify_is_failure(seen.items[i]) ? seen.items[i] : NULL;
	if (failure) {
		found = add_failure(self, failure);
		*threads = threads_of(failure, run, &report);
	}
	findings_release(&seen);
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
	self->checked++;
	if (code == 0 && how) {
		char *key = mem_format(CLASSIFY_CHECK "%s", how);
		self->check_failed++;
		strings_add(&self->failures, key);
		free(key);
		strings_add(&self->summaries, "the check failed");
		self->consequences = mem_resize(self->consequences, self->failures.count * sizeof *self->consequences);
		self->consequences[self->failures.count - 1] = 0;
		*failure = self->failures.items[self->failures.count - 1];
	}
	free(how);
	buf_release(&said);
	return code > 0 || code == -EINTR ? 0 : code;
}

int classify_find_failure(struct classifying *self, const struct campaign_run *run, const struct lesson *learned,
			  const char **failure, struct err *err)
{
	struct judged judged = { 0 };
	uint64_t failing;
	*failure = failure_of(self, run, learned, &judged, &failing);
	return *failure ? 0 : check(self, run, failure, err);
}

/* A failure that no schedule of the test had becomes a finding of its own, with this run as its evidence. */
static int keep_failure(struct classifying *self, const struct campaign_run *run, const struct lesson *learned,
			struct err *err)
{
	struct judged judged = { 0 };
	struct report report;
	size_t last = self->failures.count - 1;
	if (self->consequences[last])
		return 0;
	report_parse(&report, learned->report, learned->report_bytes);
	int code = test_judge(self->test, run, &report, &judged, err);
	report_release(&report);
	const struct findings *findings = &self->test->judge.findings;
	for (size_t i = findings->count; code == 0 && i-- > 0;) {
		struct finding *finding = findings->items[i];
		if (finding->evidence.first != run->number || !classify_is_failure(finding) ||
		    !finding->identity.number)
			continue;
		char *name = mem_format("H%" PRIu64 " %s", finding->identity.number,
					finding->presentation.summary.data ? finding->presentation.summary.data : "");
		finding->evidence.is_from_log = self->is_from_log;
		self->consequences[last] = finding->identity.number;
		free(self->summaries.items[last]);
		self->summaries.items[last] = name;
		break;
	}
	return code;
}

/* Where the two accesses are in the run. */
static void set_marks(char **marks, const struct wanted *wanted, const struct campaign_run *run)
{
	const struct report_race *race = &wanted->instance->seen.evidence.race;
	const uint64_t second = wanted->hold.event ? run->control->channel->hold_event : race->event;
	/* Held before a lock, the first thread came to its access at some time later. */
	const uint64_t first =
		!wanted->hold.event || wanted->hold.event == wanted->instance->first ? wanted->instance->first : 0;
	free(*marks);
	*marks = mem_format("%" PRIu32 "@%" PRIu64 " %" PRIu32 "@%" PRIu64, race->earlier.thread, first,
			    race->later.thread, second);
}

/* Keeps the runs that show what the race leads to, and its other order. */
static int keep_orders(struct classifying *self, const struct campaign_run *run, const struct wanted *wanted,
		       const struct witness *witness, struct err *err)
{
	if (witness->order == WITNESS_IMPOSSIBLE && witness->is_other && !self->held_trace &&
	    run->control->channel->hold_state == HEDDLE_HOLD_WAITING)
		return evidence_keep_as(self->race, run, &self->test->trace, ".held", &self->held_trace, err);
	if (witness->order != WITNESS_MADE || witness->is_lost)
		return 0;
	if (witness->failure) {
		if (self->harm_trace && (self->is_harm_other || !witness->is_other))
			return 0;
		self->is_harm_other = witness->is_other;
		self->is_harm_reverse = witness->is_other != witness->is_swapped;
		set_marks(&self->harm_marks, wanted, run);
		return evidence_keep_as(self->race, run, &self->test->trace, ".harm", &self->harm_trace, err);
	}
	/* Of an instance that was recorded in the reverse order, the other one is that of the finding. */
	if (witness->is_other == witness->is_swapped || self->other_trace)
		return 0;
	set_marks(&self->other_marks, wanted, run);
	return evidence_keep_as(self->race, run, &self->test->trace, ".other", &self->other_trace, err);
}

/* A random run may fail for another reason than the order, such as another race; and one that did not come to have the order may fail because of other
 * accesses on these lines. Its schedule is tried with the other order (classify_failures.c), and until then it shows nothing. */
static bool is_suspect(const struct classifying *self, const struct wanted *wanted, const struct witness *witness)
{
	const bool is_random = wanted->hold.is_random && !self->is_from_log;
	return witness->failure && !witness->is_lost &&
	       (witness->order != WITNESS_MADE || is_random || wanted->hold.is_loose || self->is_deeper);
}

int classify_keep_suspect(struct classifying *self, const struct campaign_run *run, const char *failure,
			  struct err *err)
{
	const uint64_t hash = run->result.event_hash;
	bool is_known = self->suspect_count == SUSPECTS;
	size_t alike = 0;
	for (size_t i = 0; i < self->suspect_count && !is_known; i++) {
		is_known = self->suspect_hashes[i] == hash;
		alike += failure && self->suspect_failures[i] && strcmp(self->suspect_failures[i], failure) == 0;
	}
	if (is_known || alike == SUSPECTS_ALIKE)
		return 0;
	self->suspect_hashes[self->suspect_count] = hash;
	self->suspect_failures[self->suspect_count] = failure;
	char *name = mem_format(".suspect%zu", self->suspect_count);
	int code =
		evidence_keep_as(self->race, run, &self->test->trace, name, &self->suspects[self->suspect_count], err);
	self->suspect_count += code == 0;
	free(name);
	return code;
}

/* A run from the log that has no answer is lost, unless the program has written something else before: that is a difference already, and
 * it is cut off there. Returns whether it is. */
static bool note_end(struct classifying *self, const struct campaign_run *run, const struct lesson *learned,
		     struct judged *judged)
{
	static const char why[] = "note the log has no answer: ";
	if (run->result.outcome != HEDDLE_OUTCOME_UNANSWERED)
		return false;
	if (memmem(learned->report, learned->report_bytes, HEDDLE_NOTE_TOLD, strlen(HEDDLE_NOTE_TOLD))) {
		judged->is_lost = false;
		return true;
	}
	self->unanswered++;
	const char *at = memmem(learned->report, learned->report_bytes, why, sizeof why - 1);
	if (self->unanswered_reason || !at)
		return false;
	at += sizeof why - 1;
	const char *end = memchr(at, '\n', (size_t)(learned->report + learned->report_bytes - at));
	char *words = mem_format("%.*s", end ? (int)(end - at) : 0, at);
	self->unanswered_reason = text_terminal_copy(words);
	free(words);
	return false;
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct classifying *self = context;
	const struct wanted *wanted = &self->wanted[self->witness_count];
	self->test->classify_events += run->result.event_count + TEST_SCHEDULE_EVENTS;
	struct judged judged = { 0 };
	const bool is_compared = self->test->judge.output != JUDGE_OUTPUT_IGNORED && !self->test->judge.is_checked;
	uint64_t failing = 0;
	const char *failure = failure_of(self, run, learned, &judged, &failing);
	int code = failure ? 0 : check(self, run, &failure, err);
	if (code < 0)
		return code;
	if (is_compared && run->capture)
		output_keep(self->printed[self->witness_count].streams, run->capture);
	self->events += run->result.event_count;
	const bool is_cut = note_end(self, run, learned, &judged);
	struct witness *witness = &self->witnesses[self->witness_count++];
	*witness = (struct witness){
		.instance = (size_t)(wanted->instance - self->instances),
		.input = wanted->instance->input ? 1 + (size_t)(wanted->instance->input - self->test->inputs.items) : 0,
		.pair = wanted->instance->pair,
		.is_swapped = wanted->instance->is_swapped,
		.is_other = wanted->is_other,
		.is_loose = wanted->hold.is_loose,
		.order = order_of(wanted, run),
		.failure = failure,
		.failing = failing,
		.is_lost = judged.is_lost,
		.is_cut = is_cut,
		.status = is_compared ? run->result.status : 0,
		.output = is_compared && run->capture ? capture_lines(run->capture) : 0,
		.effects = is_compared ? run->control->channel->effects_hash : 0,
	};
	self->wanted[self->witness_count - 1].is_spent = run->control->channel->hold_state == HEDDLE_HOLD_SPENT;
	if (wanted->keep) {
		const bool is_again = witness->order == WITNESS_MADE || wanted->is_spent;
		witness->is_lost = true;
		if (is_again && wanted->kept == &self->harm_trace)
			set_marks(&self->harm_marks, wanted, run);
		if (is_again && wanted->kept == &self->other_trace)
			set_marks(&self->other_marks, wanted, run);
		return is_again ? evidence_keep_as(self->race, run, &self->test->trace, wanted->keep, wanted->kept, err)
				: 0;
	}
	if (is_suspect(self, wanted, witness)) {
		if (witness->order == WITNESS_MADE)
			witness->order = WITNESS_UNKNOWN;
		test_progress(self->test);
		return classify_keep_suspect(self, run, failure, err);
	}
	/* Of other inputs only those runs are kept that show the verdict: classify_keep_input. */
	struct campaign_run known = *run;
	if (is_cut) /* a replay ends there, too */
		known.request.flags |= HEDDLE_CONTROL_ONWARD;
	code = self->test->input ? 0 : keep_orders(self, &known, wanted, witness, err);
	if (code == 0 && failure && !self->test->input && witness->order == WITNESS_MADE && !witness->is_lost)
		code = keep_failure(self, run, learned, err);
	test_progress(self->test);
	return code;
}

int classify_campaign(const struct classifying *self, struct campaign *campaign, struct err *err)
{
	*campaign = self->test->campaign;
	campaign->known = NULL;
	campaign->jobs = 1;
	campaign->runs = 0;
	campaign->audits = 0;
	campaign->before = self->test->campaign.answered + self->test->steer_runs + self->test->classify_runs;
	campaign->answered = 0;
	campaign->wait = NULL;
	campaign->seconds = classify_seconds(self);
	if (test_is_timed(self->test) && campaign->seconds <= 0)
		return err_set(err, ETIME, "its runs are long: there was no time for them within the time limit");
	return 0;
}

static int serve_from_log(struct classifying *self, struct err *err)
{
	struct plan plan;
	int code = 0;
	while (code == 0 && self->witness_count < self->wanted_count && next(&self->planner, &plan, NULL))
		code = classify_run_log(self, &self->wanted[self->asked - 1], &plan, take, err);
	return code < 0 ? code : classify_check_spent(self, CAMPAIGN_PLANNED, err);
}

int classify_serve(struct classifying *self, struct err *err)
{
	struct campaign campaign;
	if (self->is_from_log)
		return serve_from_log(self, err);
	self->planner.next = next;
	self->planner.learn = learn;
	int code = classify_campaign(self, &campaign, err);
	if (code < 0)
		return code;
	campaign.planner = &self->planner;
	campaign.take = take;
	campaign.context = self;
	code = campaign_serve(&campaign, err);
	self->test->classify_runs += campaign.answered;
	return code < 0 ? code : classify_check_spent(self, campaign.end, err);
}

struct heddle_hold classify_hold(const struct instance *instance, bool is_other, uint64_t event, bool is_lock,
				 bool is_random)
{
	const struct report_race *race = &instance->seen.evidence.race;
	const uint64_t budget = HOLD_FACTOR * race->event;
	/* An allocation is no event: the thread is held where it goes on to it. */
	const bool has_place = !is_lock && race->earlier.kind != REPORT_ALLOCATION;
	return (struct heddle_hold){ .event = event,
				     .first_place = has_place ? race->earlier.place : 0,
				     .second_place = race->later.place,
				     .address = race->address,
				     .size_bytes = race->size,
				     .first_thread = race->earlier.thread,
				     .second_thread = race->later.thread,
				     .passed = instance->passed,
				     .budget = budget > HOLD_LEAST ? budget : HOLD_LEAST,
				     .is_after = !is_other,
				     .is_freed = !report_is_site(&race->later),
				     .is_random = is_random };
}

void classify_want(struct classifying *self, const struct instance *instance, bool is_other, uint64_t event,
		   bool is_lock, uint64_t random)
{
	struct wanted *wanted = &self->wanted[self->wanted_count];
	const uint64_t rest = instance->event_count > event ? instance->event_count - event : 0;
	const size_t onward = random % (sizeof continuations / sizeof *continuations);
	*wanted = (struct wanted){ .instance = instance,
				   .is_other = is_other,
				   .seed = self->race->evidence.plan.seed + self->wanted_count + self->forgotten,
				   .length = rest > LENGTH_LEAST ? rest : LENGTH_LEAST };
	if (is_other || random || instance->is_beginning)
		wanted->hold = classify_hold(instance, is_other, event, is_lock, random != 0);
	if (random && rest <= LOOSE_MOST) {
		wanted->hold.then = continuations[onward].strategy;
		wanted->hold.is_loose = continuations[onward].is_loose;
	}
	self->wanted_count++;
}

void classify_want_followed(struct classifying *self, const struct instance *instance, bool is_other, uint64_t random)
{
	classify_want(self, instance, is_other, instance->first, false,
		      random * (sizeof continuations / sizeof *continuations));
}

bool classify_has_other(const struct classifying *self, size_t instance)
{
	for (size_t i = 0; i < self->witness_count; i++) {
		const struct witness *witness = &self->witnesses[i];
		if (witness->instance == instance && witness->is_other && witness->order == WITNESS_MADE)
			return true;
	}
	return false;
}

void classify_forget(struct classifying *self, size_t witnesses, size_t instances)
{
	for (size_t i = witnesses; i < self->witness_count; i++) {
		buf_release(&self->printed[i].streams[0]);
		buf_release(&self->printed[i].streams[1]);
		self->printed[i] = (struct printed){ 0 };
	}
	self->forgotten += self->wanted_count - witnesses;
	self->witness_count = self->wanted_count = self->asked = witnesses;
	while (self->instance_count > instances)
		classify_drop_last(self);
}

void classify_want_again(struct classifying *self, const struct witness *witness, const char *suffix, char **kept)
{
	if (!witness)
		return;
	struct wanted *wanted = &self->wanted[self->wanted_count++];
	*wanted = self->wanted[witness - self->witnesses];
	wanted->keep = suffix;
	wanted->kept = kept;
}

void classify_want_onward(struct classifying *self, const struct instance *instance, enum heddle_hold_onward onward)
{
	classify_want(self, instance, true, instance->first, false, 0);
	self->wanted[self->wanted_count - 1].hold.onward = onward;
}
