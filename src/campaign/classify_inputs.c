/*
 * classify_inputs.c: a race with other inputs (--inputs): what does no harm on one path may do harm on another (Kasikci and others, Portend,
 * section 3.3 and figure 15). With each input the schedule that showed the race is run, and a few others, to see it there, too. If one
 * shows it, both orders are run as with the input of the test, and outputs are compared among runs of that input only.
 *
 * An input may lead to another path on which a thread makes another access to the same variable instead. Then a pair of that access and one of
 * the race's own is an instance, too: it is *related*. That counts only for a static variable, whose address means the same in every
 * run, only when no schedule with that input shows the race itself, and only if the pair is not a finding of the test.
 *
 * Invariants:
 *  1. What is run follows from the race, the inputs and the number of witnesses, not from the clock.
 *     Assured by tests/cli/classify-inputs.t.
 *  2. An input with which the program fails in every run says nothing about the race.
 *     Assured by tests/cli/classify-inputs.t.
 *  3. A race is not harmless if the output varies with some input, so that nothing is known of it there.
 *     Assured by tests/cli/classify-inputs.t.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "campaign/classify_priv.h"
#include "judge/evidence.h"

/* Schedules to see the race with an input. */
#define INPUT_TRIES 19u
/* Runs of each order with an input, at least: the runs of a race are shared among inputs. */
#define INPUT_RUNS 6u

/* The strategies of these schedules, in turn, after the schedule that showed the race. */
static const uint32_t strategies_tried[] = { HEDDLE_STRATEGY_RANDOM, HEDDLE_STRATEGY_POS, HEDDLE_STRATEGY_SURW };

struct trying {
	struct planner planner; /* first: it is one */
	struct classifying *self;
	size_t from; /* the first instance of this input */
	size_t own_count, related_count;
	uint64_t asked;
	uint64_t hot[MAX_HOT_KNOWN]; /* the sites of all races that schedules with this input show, sorted */
	uint32_t hot_count;
	bool has_ended_well; /* some schedule */
	bool is_read;        /* standard input, by some schedule */
};

static uint64_t runs_of_each(const struct classifying *self, uint64_t count)
{
	const uint64_t each = count / self->test->inputs.count;
	return each > INPUT_RUNS ? each : count < INPUT_RUNS ? count : INPUT_RUNS;
}

size_t classify_inputs_room(const struct classifying *self, uint64_t count)
{
	if (!self->test->inputs.count)
		return 0;
	const uint64_t each = runs_of_each(self, count);
	/* Both orders, and again before a lock; suspects; and two runs to keep. */
	return self->test->inputs.count * (INPUT_INSTANCES + 3 * (each > INPUT_INSTANCES ? each : INPUT_INSTANCES) +
					   4 * FAILED_INSTANCES) +
	       2;
}

static bool next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct trying *trying = (struct trying *)planner;
	const struct classifying *self = trying->self;
	const struct instance *recorded = &self->instances[0];
	const uint64_t asked = trying->asked;
	(void)reason;
	if (asked == INPUT_TRIES || trying->own_count == INPUT_INSTANCES || classify_is_spent(self))
		return false;
	*plan = (struct plan){ .flags = HEDDLE_CONTROL_HOT,
			       .seed = self->race->evidence.plan.seed + asked,
			       .hot = trying->hot,
			       .hot_count = trying->hot_count };
	if (asked == 0) {
		plan->strategy = HEDDLE_STRATEGY_ORDERED;
		plan->steps = recorded->steps.items;
		plan->step_count = (uint32_t)recorded->steps.count;
		plan->hold = classify_hold(recorded, false, recorded->first, false, false);
	} else {
		plan->strategy = strategies_tried[(asked - 1) % 3];
	}
	trying->asked++;
	return true;
}

static void learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

static bool is_finding(struct classifying *self, const struct report_race *race)
{
	const struct findings *findings = &self->test->judge.findings;
	for (size_t i = 0; i < findings->count; i++)
		if (test_is_race(findings->items[i]) && judge_is_race_of(&self->test->judge, findings->items[i], race))
			return true;
	return false;
}

static bool is_related(struct classifying *self, const struct report_race *race)
{
	const struct report_race *own = &self->race->evidence.race;
	struct symbols *symbols = self->test->judge.scene.symbols;
	struct buf name = { 0 };
	const bool is_same = race->address < own->address + own->size && own->address < race->address + race->size;
	const bool is_variable = is_same && symbols && symbols_describe_data(&name, symbols, race->address);
	buf_release(&name);
	return is_variable &&
	       (classify_is_alike(self, &race->earlier, &own->earlier) ||
		classify_is_alike(self, &race->earlier, &own->later) ||
		classify_is_alike(self, &race->later, &own->earlier) ||
		classify_is_alike(self, &race->later, &own->later)) &&
	       !is_finding(self, race);
}

static bool has_pair(const struct trying *trying, const struct report_race *race)
{
	for (size_t i = trying->from; i < trying->self->instance_count; i++) {
		const struct report_race *other = &trying->self->instances[i].seen.evidence.race;
		if (other->earlier.place == race->earlier.place && other->later.place == race->later.place)
			return true;
	}
	return false;
}

/* The race of a schedule to keep: one of a pair in an order that none has yet. */
static const struct report_race *choose(struct trying *trying, const struct report *report)
{
	const struct report_race *related = NULL;
	for (size_t i = 0; i < report->race_count; i++) {
		const struct report_race *race = &report->races[i];
		if (has_pair(trying, race))
			continue;
		if (classify_is_variant(trying->self, race))
			return race;
		if (!related && trying->related_count < INPUT_INSTANCES && is_related(trying->self, race))
			related = race;
	}
	return related;
}

static void add_hot(struct trying *trying, const struct report_race *race)
{
	classify_add_hot(trying->hot, &trying->hot_count, MAX_HOT_KNOWN, &race->earlier);
	classify_add_hot(trying->hot, &trying->hot_count, MAX_HOT_KNOWN, &race->later);
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct trying *trying = context;
	struct classifying *self = trying->self;
	struct report report;
	int code = 0;
	self->test->classify_events += run->result.event_count + TEST_SCHEDULE_EVENTS;
	self->events += run->result.event_count;
	report_parse(&report, learned->report, learned->report_bytes);
	const bool ends_well =
		run->result.outcome == HEDDLE_OUTCOME_EXIT && run->result.status == 0 && !report.memory_count;
	trying->has_ended_well |= ends_well;
	trying->is_read |= run->is_input_read;
	/* Its consequence may need a third thread at the right moment. */
	if (!ends_well)
		code = classify_keep_suspect(self, run, NULL, err);
	for (size_t i = 0; i < report.race_count; i++)
		add_hot(trying, &report.races[i]);
	const struct report_race *race = trying->own_count < INPUT_INSTANCES ? choose(trying, &report) : NULL;
	if (race && code == 0) {
		char *name = mem_format(".instance%zu", self->instance_count), *trace = NULL;
		code = evidence_keep_as(self->race, run, &self->test->trace, name, &trace, err);
		if (code == 0 && classify_add_instance(self, race, trace, true)->is_related)
			trying->related_count++;
		else if (code == 0)
			trying->own_count++;
		free(name);
	}
	report_release(&report);
	test_progress(self->test);
	return code;
}

static void drop(struct instance *instance)
{
	if (instance->is_trace_temporary)
		unlink(instance->seen.evidence.trace);
	free(instance->seen.evidence.trace);
	steps_release(&instance->steps);
}

/* What cannot be replayed is no instance, nor are other accesses if there are instances of the race itself. */
static void prepare(struct trying *trying)
{
	struct classifying *self = trying->self;
	size_t kept = trying->from;
	for (size_t i = kept; i < self->instance_count; i++) {
		struct instance moved = self->instances[i];
		struct err ignored = ERR_INIT;
		if ((moved.is_related && trying->own_count) || classify_prepare(self, &moved, &ignored) < 0)
			drop(&moved);
		else
			self->instances[kept++] = moved;
	}
	self->instance_count = kept;
	/* Their numbers changed. */
	for (size_t i = trying->from; i < kept; i++)
		if (self->instances[i].pair >= trying->from)
			self->instances[i].pair = i;
	const size_t most = trying->from + INPUT_INSTANCES;
	for (size_t i = trying->from; i < kept && self->instance_count < most; i++)
		classify_add_last(self, &self->instances[i], most);
}

static int see(struct trying *trying, struct err *err)
{
	struct classifying *self = trying->self;
	struct campaign campaign;
	classify_known_hot(self, trying->hot, &trying->hot_count);
	trying->planner.next = next;
	trying->planner.learn = learn;
	int code = classify_campaign(self, &campaign, err);
	if (code < 0)
		return code;
	campaign.planner = &trying->planner;
	campaign.take = take;
	campaign.context = trying;
	code = campaign_serve(&campaign, err);
	self->test->classify_runs += campaign.answered;
	if (code == 0)
		prepare(trying);
	while (code < 0 && self->instance_count > trying->from)
		classify_drop_last(self);
	return code;
}

/* Runs that were wanted and not made are not wanted any more. */
static void forget_wanted(struct classifying *self)
{
	self->wanted_count = self->asked = self->witness_count;
}

/* The witnesses from that one on do not count. */
static void take_back(struct classifying *self, size_t from)
{
	for (size_t i = from; i < self->witness_count; i++) {
		self->witnesses[i].failure = NULL;
		self->witnesses[i].is_lost = true;
	}
}

static bool has_good_run(const struct classifying *self, size_t from)
{
	for (size_t i = from; i < self->witness_count; i++)
		if (!self->witnesses[i].failure && !self->witnesses[i].is_lost)
			return true;
	return false;
}

static void note(struct classifying *self, const struct test_input *input, const char *what)
{
	char *shown = text_terminal_copy(input->text);
	strings_note(&self->test->notes, "with %s %s", shown, what);
	free(shown);
}

static int run_orders(struct classifying *self, const struct trying *trying, uint64_t count, struct err *err)
{
	const size_t from = self->witness_count;
	const size_t instances = self->instance_count - trying->from;
	if (!instances)
		return 0;
	self->shown_inputs++;
	/* Each has a run of each order. */
	int code = classify_run_from(self, trying->from, count > instances ? count : instances, err);
	const struct verdict first = verdict_of(self->witnesses + from, self->witness_count - from);
	if (code == 0 && first.class != VERDICT_SPEC_VIOLATED) {
		code = classify_try_suspects(self, err);
		if (code == 0 && first.others && trying->has_ended_well)
			code = classify_seek_failures(self, trying->from, count, err);
	}
	const struct verdict verdict = verdict_of(self->witnesses + from, self->witness_count - from);
	const bool is_bad =
		verdict.class == VERDICT_SPEC_VIOLATED && !trying->has_ended_well && !has_good_run(self, from);
	if (is_bad)
		note(self, self->test->input, "the program fails in every run, which says nothing about data races");
	/* Neither harm nor its absence is shown: the race is not harmless then. */
	const bool is_varied = !is_bad && verdict.is_varied;
	if (is_varied && !self->varied && !verdict_of(self->witnesses, from).is_varied)
		self->varied = self->test->input;
	if (is_bad || (verdict.class == VERDICT_UNDECIDED && !is_varied))
		take_back(self, from);
	else if (code == 0)
		classify_compare_input(self, trying->from, trying->from + instances);
	return code;
}

/* Of an empty file nobody can tell whether it was read. */
static bool has_bytes(const struct test_input *input)
{
	struct stat status;
	return input->path && stat(input->path, &status) == 0 && status.st_size > 0;
}

/* Returns 0, or a negative errno with err set. */
static int judge_with(struct classifying *self, const struct test_input *input, uint64_t count, struct err *err)
{
	struct trying trying = { .self = self, .from = self->instance_count };
	int code = test_begin_input(self->test, input, err);
	if (code < 0)
		return code;
	classify_drop_suspects(self);
	code = see(&trying, err);
	if (code == 0 && has_bytes(input) && !trying.is_read)
		note(self, input,
		     "no run read its standard input: for files that the program opens itself, pass the "
		     "argument " INPUTS_MARK);
	if (code == 0)
		code = run_orders(self, &trying, count, err);
	forget_wanted(self);
	test_end_input(self->test);
	return code;
}

/* After all inputs. */
static void note_unshown(struct classifying *self)
{
	if (self->test->inputs.count && !self->shown_inputs && !test_is_stopped(self->test))
		strings_note(&self->test->notes,
			     "H%" PRIu64
			     " occurred with none of the other inputs, so only the input of the test judges it",
			     self->race->identity.number);
}

void classify_inputs(struct classifying *self, uint64_t count)
{
	const struct test_inputs *inputs = &self->test->inputs;
	const uint64_t each = inputs->count ? runs_of_each(self, count) : 0;
	forget_wanted(self);
	for (size_t i = 0; i < inputs->count && !test_is_stopped(self->test); i++) {
		struct err err = ERR_INIT;
		if (verdict_of(self->witnesses, self->witness_count).class == VERDICT_SPEC_VIOLATED)
			return;
		int code = judge_with(self, &inputs->items[i], each, &err);
		if (code == -ETIME || self->test->before.has_failed) {
			strings_note(&self->test->notes, "H%" PRIu64 " was not judged with all inputs: %s",
				     self->race->identity.number, err.message);
			return;
		}
		if (code < 0)
			note(self, &inputs->items[i], err.message);
	}
	note_unshown(self);
}

/* The run of the same instance with the opposite order that is shown beside it; null: there is none. */
static const struct witness *find_opposite(const struct classifying *self, const struct witness *shows)
{
	const struct witness *failing = NULL;
	for (size_t i = 0; i < self->witness_count; i++) {
		const struct witness *witness = &self->witnesses[i];
		if (witness->instance != shows->instance || witness->is_other == shows->is_other ||
		    witness->order != WITNESS_MADE || witness->is_lost)
			continue;
		if (!witness->failure)
			return witness;
		failing = failing ? failing : witness;
	}
	return failing;
}

static void forget_trace(char **trace)
{
	if (*trace)
		unlink(*trace);
	free(*trace);
	*trace = NULL;
}

void classify_drop_evidence(struct classifying *self)
{
	forget_trace(&self->harm_trace);
	forget_trace(&self->other_trace);
}

void classify_keep_input(struct classifying *self, const struct verdict *verdict)
{
	const struct witness *shows = verdict->shows == SIZE_MAX ? NULL : &self->witnesses[verdict->shows];
	const struct test_input *input = shows ? self->instances[shows->instance].input : NULL;
	struct err err = ERR_INIT;
	if (!input || test_begin_input(self->test, input, &err) < 0)
		return;
	const struct witness *opposite = find_opposite(self, shows);
	const bool is_harm = verdict->class == VERDICT_SPEC_VIOLATED;
	classify_drop_evidence(self);
	forget_wanted(self);
	/* Of outputs that differ, the recorded order is shown, as without other inputs. */
	classify_want_again(self, is_harm ? shows : opposite, ".harm", &self->harm_trace);
	classify_want_again(self, is_harm ? opposite : shows, ".other", &self->other_trace);
	self->is_harm_other = is_harm && shows->is_other;
	self->is_harm_reverse = is_harm && shows->is_other != shows->is_swapped;
	if (classify_serve(self, &err) < 0 || !self->harm_trace)
		note(self, input, "the run that shows what a data race leads to could not be kept");
	forget_wanted(self);
	test_end_input(self->test);
}
