/*
 * classify.c: which data race matters. Of each instance of a race both orders are run: the recorded schedule as it was, and the same with the
 * thread of the first access held before it until the other has made its own (world/schedule/ordered.c); then both go on, once as the
 * steps of the recorded schedule say and several times at random. How the runs end decides (model/verdict.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "campaign/classify_log.h"
#include "judge/evidence.h"
#include "judge/output.h"
#include "narrate/verdict.h"

/* Whether no witness of that instance has the other order, because the other thread could not go on. */
static bool is_blocked(const struct classifying *self, size_t instance)
{
	bool is_made = false, is_impossible = false;
	for (size_t i = 0; i < self->witness_count; i++) {
		const struct witness *witness = &self->witnesses[i];
		if (witness->instance != instance || !witness->is_other)
			continue;
		is_made |= witness->order == WITNESS_MADE;
		is_impossible |= witness->order == WITNESS_IMPOSSIBLE;
	}
	return is_impossible && !is_made;
}

/* Events of the hold of a run that is made to see what another thread waits for. */
#define WAIT_BUDGET 2000u

/* Instances that a race is judged by, if there are as many: so that some have random runs of both orders. */
static size_t instances_most(uint64_t count)
{
	const uint64_t most = count < 4 ? count : count / 2 + 1;
	return most < MAX_INSTANCES ? (size_t)most : MAX_INSTANCES;
}

/* Of the runs of each order of the instances from that one on, those of one: the first ones get the rest. */
static uint64_t share(const struct classifying *self, size_t from, uint64_t count, size_t at)
{
	const size_t instances = self->instance_count - from;
	return count / instances + (at - from < count % instances);
}

/* The other order again, of instances for which it was impossible, with the hold before the outermost lock. */
static int run_at_locks(struct classifying *self, size_t from, uint64_t count, struct err *err)
{
	for (size_t at = from; at < self->instance_count; at++) {
		struct instance *instance = &self->instances[at];
		uint64_t lock = is_blocked(self, at) ? classify_first_event(self, instance, true, err) : 0;
		for (uint64_t i = 0; lock && lock < instance->first && i < share(self, from, count, at); i++)
			classify_want(self, instance, true, lock, true, i ? at + i : 0);
	}
	return self->wanted_count > self->asked ? classify_serve(self, err) : 0;
}

static bool is_all_blocked(const struct classifying *self)
{
	for (size_t at = 0; at < self->instance_count; at++)
		if (!is_blocked(self, at))
			return false;
	return self->instance_count > 0;
}

/* What orders one instance need not order all: more of the recorded schedule are tried, once each. */
static int run_more(struct classifying *self, struct err *err)
{
	const size_t from = self->instance_count;
	classify_take_told(self, from + MORE_INSTANCES);
	for (size_t at = from; at < self->instance_count; at++) {
		const struct instance *instance = &self->instances[at];
		classify_want(self, instance, false, instance->first, false, 0);
		classify_want(self, instance, true, instance->first, false, 0);
	}
	int code = self->instance_count > from ? classify_serve(self, err) : 0;
	return code < 0 ? code : run_at_locks(self, from, self->instance_count - from, err);
}

/* A schedule whose switches alone do not make it again: there are too many, or some are of a fair schedule. Then the recorded order is made as
 * the other one is, by a hold. */
static int run_unlike(struct classifying *self, size_t from, struct err *err)
{
	for (size_t i = 0, count = self->witness_count; i < count && !self->is_from_log; i++) {
		const size_t at = self->witnesses[i].instance;
		if (at < from || self->wanted[i].hold.event || self->wanted[i].keep ||
		    self->witnesses[i].order != WITNESS_UNKNOWN || self->instances[at].is_beginning)
			continue;
		self->instances[at].is_beginning = true;
		classify_want(self, &self->instances[at], false, self->instances[at].first, false, 0);
	}
	return self->wanted_count > self->asked ? classify_serve(self, err) : 0;
}

int classify_run_from(struct classifying *self, size_t from, uint64_t count, struct err *err)
{
	for (size_t at = from; at < self->instance_count; at++)
		for (uint64_t i = 0; i < share(self, from, count, at); i++) {
			const struct instance *instance = &self->instances[at];
			classify_want(self, instance, false, instance->first, false, i ? at + i : 0);
			classify_want(self, instance, true, instance->first, false, i ? at + i : 0);
		}
	int code = classify_serve(self, err);
	if (code == 0)
		code = run_unlike(self, from, err);
	return code < 0 ? code : run_at_locks(self, from, count, err);
}

/* Whether a run came to its end and had the other order, or showed that it cannot be had. */
static bool has_other(const struct classifying *self)
{
	for (size_t i = 0; i < self->witness_count; i++)
		if (self->witnesses[i].is_other && self->witnesses[i].order != WITNESS_UNKNOWN &&
		    !self->witnesses[i].is_lost)
			return true;
	return false;
}

/* A thread that sleeps between its looks makes as many events as one that works. If the loop that it is in waits for the thread that was held,
 * the other order is impossible. */
static int find_waits(struct classifying *self, struct err *err)
{
	size_t spent = 0;
	while (spent < self->witness_count &&
	       !(self->wanted[spent].is_spent && self->witnesses[spent].is_other && !self->witnesses[spent].failure))
		spent++;
	if (spent == self->witness_count || self->held_trace || has_other(self))
		return 0;
	classify_want_again(self, &self->witnesses[spent], ".held", &self->held_trace);
	self->wanted[self->wanted_count - 1].hold.budget = WAIT_BUDGET;
	int code = classify_serve(self, err);
	if (code < 0 || !classify_shows_wait(self)) {
		if (self->held_trace)
			unlink(self->held_trace);
		free(self->held_trace);
		self->held_trace = NULL;
		return code;
	}
	for (size_t i = 0; i < self->witness_count; i++) {
		struct witness *witness = &self->witnesses[i];
		if (witness->is_other && self->wanted[i].is_spent && witness->order == WITNESS_UNKNOWN)
			witness->order = WITNESS_IMPOSSIBLE;
	}
	return 0;
}

/* Both orders of all instances: count of each. */
static int run_instances(struct classifying *self, uint64_t count, struct err *err)
{
	int code = classify_run_from(self, 0, count, err);
	if (code == 0)
		code = find_waits(self, err);
	if (code == 0 && is_all_blocked(self))
		code = run_more(self, err);
	return code;
}

/* Whether the log had no answer for a run of the other order: the path on which the order matters may be the one that the log does not know. */
static bool has_unanswered(const struct classifying *self)
{
	for (size_t i = 0; self->unanswered && i < self->witness_count; i++)
		if (self->witnesses[i].is_other && self->witnesses[i].is_lost)
			return true;
	return false;
}

static void release_printed(struct classifying *self)
{
	for (size_t i = 0; i < self->witness_count; i++) {
		buf_release(&self->printed[i].streams[0]);
		buf_release(&self->printed[i].streams[1]);
		self->printed[i] = (struct printed){ 0 };
	}
}

static void forget_runs(struct classifying *self)
{
	release_printed(self);
	self->witness_count = self->wanted_count = self->asked = 0;
}

/* Whether the order changes what the program prints, as far as is known, and no run fails. */
static bool differs_only(const struct classifying *self)
{
	const struct verdict verdict = verdict_of(self->witnesses, self->witness_count);
	return verdict.class == VERDICT_OUTPUT_DIFFERS || verdict.is_varied;
}

/* Outputs that vary need more runs than others: until it is known which of them each order has. These follow the order at once, since what others
 * print is not compared. */
static int run_varied(struct classifying *self, uint64_t count, struct err *err)
{
	size_t instances[MAX_INSTANCES + MORE_INSTANCES], open = 0;
	for (size_t at = 0; at < self->instance_count && open < sizeof instances / sizeof *instances; at++)
		if (classify_has_other(self, at))
			instances[open++] = at;
	for (uint64_t i = 0; open && i < VARIED_FACTOR * count; i++) {
		const struct instance *instance = &self->instances[instances[i % open]];
		classify_want_followed(self, instance, false, 1 + i);
		classify_want_followed(self, instance, true, 1 + i);
	}
	return open ? classify_serve(self, err) : 0;
}

static bool is_harmful(const struct classifying *self)
{
	return verdict_of(self->witnesses, self->witness_count).class == VERDICT_SPEC_VIOLATED;
}

static bool is_varied(const struct classifying *self)
{
	const struct verdict verdict = verdict_of(self->witnesses, self->witness_count);
	return verdict.class == VERDICT_UNDECIDED && verdict.is_varied;
}

static void make_room(struct classifying *self, uint64_t count)
{
	/* What goes deeper has the room of one beginning at a time. */
	const uint64_t deeper = 3 * (count > DEEPER_INSTANCES ? count : DEEPER_INSTANCES) + DEEPER_RUNS;
	const size_t room = 3 + MAX_INSTANCES + MORE_INSTANCES + 3 * count + 3 * MORE_INSTANCES + 4 * FAILED_INSTANCES +
			    deeper + 2 * VARIED_FACTOR * count + 3 * DEEPER_INSTANCES * DEEPER_RUNS +
			    classify_inputs_room(self, count);
	self->wanted = mem_alloc(room * sizeof *self->wanted);
	self->witnesses = mem_alloc(room * sizeof *self->witnesses);
	self->printed = mem_alloc(room * sizeof *self->printed);
}

/* count: runs of each order, shared among the instances; the first of each instance is not random. */
static int run_orders(struct classifying *self, uint64_t count, struct err *err)
{
	int code = classify_find_instances(self, instances_most(count), err);
	if (code < 0)
		return code;
	make_room(self, count);
	code = run_instances(self, count, err);
	/* Live it does not come about, or not in the other order. */
	if (code == 0 && !self->is_from_log && !has_other(self)) {
		forget_runs(self);
		self->is_from_log = true;
		code = run_instances(self, count, err);
	}
	if (code == 0 && !is_harmful(self))
		code = classify_try_failures(self, 0, err);
	if (code == 0 && is_varied(self))
		code = run_varied(self, count, err);
	if (code == 0 && !is_harmful(self) && has_other(self))
		code = classify_seek_failures(self, 0, count, err);
	struct err ignored = ERR_INIT;
	/* What it shows counts; if it is cut short, what is known stays. */
	if (code == 0 && self->test->request->classify == TEST_CLASSIFY_YES && differs_only(self))
		classify_go_deeper(self, count, &ignored);
	return code;
}

/* The failure of the witness that shows the class, by its index; SIZE_MAX: there is none. */
static size_t failure_shown(const struct classifying *self, const struct verdict *verdict)
{
	const char *failure = verdict->shows == SIZE_MAX ? NULL : self->witnesses[verdict->shows].failure;
	for (size_t i = 0; i < self->failures.count; i++)
		if (self->failures.items[i] == failure)
			return i;
	return SIZE_MAX;
}

/* How the witness that shows a difference differs from the first that has the recorded order of its instance. */
static void show_difference(struct classifying *self, size_t shows)
{
	struct buf *out = &self->race->presentation.difference;
	const struct witness *other = &self->witnesses[shows], *recorded = NULL;
	for (size_t i = 0; i < self->witness_count && !recorded; i++) {
		const struct witness *witness = &self->witnesses[i];
		if (witness->instance == other->instance && !witness->is_other && witness->order == WITNESS_MADE &&
		    !witness->is_lost && !witness->failure)
			recorded = witness;
	}
	if (!recorded)
		return;
	buf_add_string(out, "  - the recorded order, + the other one:\n");
	if (other->is_cut) {
		buf_add_string(out,
			       "  what is written to files or sockets differs; the run ends there, because what comes "
			       "next is not in the log\n");
		return;
	}
	if (recorded->status != other->status)
		buf_format(out, "  - exit status %d\n  + exit status %d\n", recorded->status & 255,
			   other->status & 255);
	output_difference(out, self->printed[recorded - self->witnesses].streams, self->printed[shows].streams);
	if (recorded->effects != other->effects)
		buf_add_string(out, "  what is written to files or sockets differs\n");
}

/* The race of an instance, with the places that the finding is described by: those of a variant are on the same lines. */
static struct report_race as_described(const struct instance *instance, const struct report_race *own)
{
	struct report_race race = instance->seen.evidence.race;
	race.earlier.place = instance->is_swapped ? own->later.place : own->earlier.place;
	race.later.place = instance->is_swapped ? own->earlier.place : own->later.place;
	return race;
}

/* The same with the places of an instance that is about other lines. */
static void describe_related(struct classifying *self, const struct instance *instance, const char *failure,
			     bool is_other)
{
	const struct report_race *pair = &instance->seen.evidence.race;
	const struct report_access *accesses[2] = { &pair->earlier, &pair->later };
	struct finding like = { .evidence = { .origin = FINDING_OF_RACE, .race = *pair } };
	like.evidence.verdict = self->race->evidence.verdict;
	for (size_t i = 0; i < 2; i++) {
		struct scene_place place;
		scene_place(&self->test->judge.scene, accesses[i]->place, &place);
		scene_add_site(&like, &place, NULL, accesses[i]->thread);
	}
	verdict_tell(&self->race->presentation.verdict, &like, pair, NULL, failure, is_other);
	finding_clear(&like);
}

/* The sentence about it, and what it refers to. */
static void describe(struct classifying *self, const struct strings *differing)
{
	struct finding *race = self->race;
	const struct verdict *verdict = &race->evidence.verdict;
	const size_t failure = failure_shown(self, verdict);
	const struct witness *shows = verdict->shows == SIZE_MAX ? NULL : &self->witnesses[verdict->shows];
	const struct instance *instance = &self->instances[shows ? shows->instance : 0];
	if (verdict->class == VERDICT_OUTPUT_DIFFERS)
		show_difference(self, verdict->shows);
	race->evidence.consequence = failure == SIZE_MAX ? 0 : self->consequences[failure];
	const char *summary = failure == SIZE_MAX ? NULL : self->summaries.items[failure];
	if (instance->is_related) {
		describe_related(self, instance, summary, shows->is_other);
	} else {
		const struct report_race pair = as_described(instance, &race->evidence.race);
		verdict_tell(&race->presentation.verdict, race, &pair, self->unanswered_reason, summary,
			     shows && shows->is_other);
	}
	if (shows && instance->input) {
		text_terminal(&race->presentation.input, instance->input->text);
		buf_format(&race->presentation.verdict, ", with %s", race->presentation.input.data);
	}
	if (verdict->class == VERDICT_UNDECIDED && verdict->is_varied && self->varied) {
		buf_add_string(&race->presentation.verdict, ", with ");
		text_terminal(&race->presentation.verdict, self->varied->text);
	}
	classify_find_reason(self);
	verdict_tell_states(&race->presentation.verdict, verdict, differing);
}

bool test_is_race(const struct finding *finding)
{
	return finding->identity.kind == FINDING_DATA_RACE && finding->evidence.origin == FINDING_OF_RACE &&
	       !finding->identity.suppression;
}

static void release(struct classifying *self)
{
	classify_release_instances(self);
	free(self->instances);
	classify_drop_suspects(self);
	classify_release_logs(self);
	free(self->compared);
	strings_release(&self->differing);
	free(self->unanswered_reason);
	strings_release(&self->failures);
	strings_release(&self->summaries);
	free(self->consequences);
	free(self->harm_trace);
	free(self->harm_marks);
	free(self->other_marks);
	if (self->held_trace)
		unlink(self->held_trace);
	free(self->held_trace);
	free(self->other_trace);
	free(self->wanted);
	release_printed(self);
	free(self->printed);
	free(self->witnesses);
}

static void begin(struct classifying *self, struct test *test, struct finding *race)
{
	*self = (struct classifying){ .test = test, .race = race };
	self->instances = mem_alloc((MAX_INSTANCES + MORE_INSTANCES + FAILED_INSTANCES + DEEPER_INSTANCES +
				     INPUT_ROOM * test->inputs.count) *
				    sizeof *self->instances);
}

/* The run that shows the failure is made again if it was not kept, because for the time being it showed nothing. */
static void keep_harm(struct classifying *self, const struct verdict *verdict)
{
	struct err ignored = ERR_INIT;
	if (verdict->class != VERDICT_SPEC_VIOLATED || self->harm_trace || self->is_from_log ||
	    self->instances[self->witnesses[verdict->shows].instance].input)
		return;
	const struct witness *shows = &self->witnesses[verdict->shows];
	self->wanted_count = self->asked = self->witness_count;
	self->is_harm_other = shows->is_other;
	self->is_harm_reverse = shows->is_other != shows->is_swapped;
	classify_want_again(self, shows, ".harm", &self->harm_trace);
	classify_serve(self, &ignored);
}

/* code, err: of the runs. */
static void finish(struct classifying *self, int code, const struct err *err)
{
	struct test *test = self->test;
	struct finding *race = self->race;
	buf_release(&race->presentation.input);
	struct verdict *verdict = &race->evidence.verdict;
	*verdict = verdict_of(self->witnesses, self->witness_count);
	verdict->seen_instances = self->seen_instances;
	classify_keep_input(self, verdict);
	keep_harm(self, verdict);
	verdict->given_inputs = test->inputs.count ? 1 + test->inputs.count : 0;
	verdict->is_from_log = self->is_from_log;
	verdict->unanswered = self->unanswered;
	if (verdict->class == VERDICT_HARMLESS && has_unanswered(self))
		verdict->class = VERDICT_UNDECIDED;
	race->evidence.has_verdict = true;
	struct err uncompared = ERR_INIT;
	if (code == 0 && !self->is_from_log && classify_compare(self, verdict, &uncompared) < 0)
		strings_note(&test->notes, "the states after both orders of H%" PRIu64 " could not be compared: %s",
			     race->identity.number, uncompared.message);
	buf_release(&race->presentation.verdict);
	buf_release(&race->presentation.difference);
	/* A failure that was seen counts, whatever could not be run after it. */
	if (code < 0 && verdict->class != VERDICT_SPEC_VIOLATED)
		verdict->class = VERDICT_UNDECIDED;
	if (verdict->class == VERDICT_UNDECIDED && code < 0)
		buf_format(&race->presentation.verdict, "is undecided: %s", err->message);
	else
		describe(self, &self->differing);
	struct err unstored = ERR_INIT;
	if (test_keep_worse(test, race)) {
		classify_drop_evidence(self);
	} else if (test_store_verdict(test, race,
				      &(struct test_evidence){ .harm = self->harm_trace,
							       .other = self->other_trace,
							       .harm_marks = self->harm_marks,
							       .other_marks = self->other_marks,
							       .is_harm_other = self->is_harm_reverse },
				      &unstored) < 0) {
		strings_note(&test->notes, "the verdict on H%" PRIu64 " could not be stored: %s", race->identity.number,
			     unstored.message);
	}
	release(self);
}

static void classify(struct test *test, struct finding *race)
{
	struct classifying self;
	struct err err = ERR_INIT;
	begin(&self, test, race);
	int code = race->evidence.trace ? 0 : err_set(&err, ENOENT, "it has no trace");
	if (code == 0)
		code = run_orders(&self, test->request->witnesses, &err);
	if (code == 0)
		code = classify_doubt_check(&self, &err);
	if (!self.is_from_log && code == 0)
		classify_inputs(&self, test->request->witnesses);
	finish(&self, code, &err);
}

/* The race was judged before the findings from that one on were found, by the runs of other races: it may lead to these failures, too. */
static void classify_later(struct test *test, struct finding *race, size_t from)
{
	struct classifying self;
	struct err err = ERR_INIT;
	begin(&self, test, race);
	int code = race->evidence.trace ? classify_find_instances(&self, 1, &err) : -ENOENT;
	if (code == 0 && !self.is_from_log) {
		make_room(&self, 1);
		code = classify_try_failures(&self, from, &err);
	}
	if (code == 0 && verdict_of(self.witnesses, self.witness_count).class == VERDICT_SPEC_VIOLATED)
		finish(&self, code, &err);
	else
		release(&self);
}

double test_classify_deadline(const struct test *self)
{
	return self->classify_until;
}

static bool has_failures(const struct test *self)
{
	for (size_t i = 0; i < self->judge.findings.count; i++)
		if (test_is_reducible(self->judge.findings.items[i]))
			return true;
	return false;
}

/* What classification may take by default: a part of the search, in events, and at least as many as this. */
#define SEARCH_PART 2u
#define COST_LEAST (400u * TEST_SCHEDULE_EVENTS)

static bool is_within_budget(const struct test *self)
{
	const uint64_t part = test_search_cost(self) / SEARCH_PART;
	return self->request->classify == TEST_CLASSIFY_YES ||
	       self->classify_events < (part > COST_LEAST ? part : COST_LEAST);
}

static void note_left(struct test *self, size_t left)
{
	if (left)
		strings_note(&self->notes,
			     "%zu data race%s not classified, because that would take too much of the test: heddle "
			     "classify does it, or --classify yes",
			     left, left == 1 ? " was" : "s were");
}

void test_classify(struct test *self)
{
	const double now = time_now_seconds();
	size_t left = 0;
	if (test_is_timed(self))
		self->classify_until = now + (test_deadline(self) - now) * (has_failures(self) ? 0.5 : 1);
	/* What is found on the way is classified by the next test. */
	const size_t count = self->judge.findings.count;
	size_t *known = mem_alloc((count + 1) * sizeof *known);
	for (size_t i = 0; i < count && !test_is_stopped(self); i++) {
		struct finding *finding = self->judge.findings.items[i];
		if (!test_is_race(finding) || (self->request->classify == TEST_CLASSIFY_ONLY_NEW &&
					       !self->inputs.count && test_load_verdict(self, finding)))
			continue;
		known[i] = self->judge.findings.count;
		if (is_within_budget(self))
			classify(self, finding);
		else
			left++;
	}
	for (size_t i = 0; i < count && !test_is_stopped(self); i++) {
		struct finding *finding = self->judge.findings.items[i];
		if (known[i] && known[i] < self->judge.findings.count && finding->evidence.has_verdict &&
		    finding->evidence.verdict.class != VERDICT_SPEC_VIOLATED && is_within_budget(self))
			classify_later(self, finding, known[i]);
	}
	free(known);
	self->classify_seconds += time_now_seconds() - now;
	note_left(self, left);
}

void test_classify_race(struct test *self, struct finding *race)
{
	self->classify_until = test_deadline(self);
	if (test_is_race(race))
		classify(self, race);
}
