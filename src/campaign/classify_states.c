/*
 * classify_states.c: whether the states after both orders of a race are the same, from one pair of runs of each of its instances, those with other
 * inputs as well, which end behind the sequencing regions of both accesses (world/schedule/compared.h). So also what the rule of the Record/Replay Analyzer alone says
 * (model/analyzer.h), for comparison: Heddle follows the other order wherever it leads.
 */
#include <errno.h>
#include <stdlib.h>

#include "campaign/classify_priv.h"
#include "judge/states.h"

struct pair {
	struct report runs[2]; /* the recorded order, and the other one */
	bool is_parsed[2];
	uint32_t hold_states[2]; /* enum heddle_hold_state */
	bool is_over[2];         /* the program ended before the regions did */
};

struct comparing {
	struct planner planner; /* first: it is one */
	struct classifying *self;
	size_t from, count; /* the instances */
	struct pair pairs[MAX_INSTANCES];
	size_t asked, taken; /* two for each instance */
	struct strings names;
};

/* Instances that are compared in the end: further ones are of runs that were found on the way, or have other inputs, with which they are compared while
 * schedules have that input. */
static size_t compared_count(const struct classifying *self)
{
	size_t count = 0;
	while (count < self->instance_count && count < MAX_INSTANCES && !self->instances[count].input)
		count++;
	return count;
}

static bool next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct comparing *comparing = (struct comparing *)planner;
	struct classifying *self = comparing->self;
	(void)reason;
	if (comparing->asked == 2 * comparing->count)
		return false;
	const struct instance *instance = &self->instances[comparing->from + comparing->asked / 2];
	struct heddle_hold hold = classify_hold(instance, comparing->asked % 2, instance->first, false, false);
	hold.is_compared = 1;
	comparing->asked++;
	*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_ORDERED,
			       .flags = HEDDLE_CONTROL_HOT,
			       .seed = self->race->evidence.plan.seed,
			       .hot = instance->input ? instance->hot : self->hot,
			       .hot_count = instance->input ? instance->hot_count : self->hot_count,
			       .steps = instance->steps.items,
			       .step_count = (uint32_t)instance->steps.count,
			       .hold = hold };
	return true;
}

static void learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct comparing *comparing = context;
	struct pair *pair = &comparing->pairs[comparing->taken / 2];
	size_t which = comparing->taken++ % 2;
	(void)err;
	report_parse(&pair->runs[which], learned->report, learned->report_bytes);
	pair->is_parsed[which] = true;
	pair->hold_states[which] = run->control->channel->hold_state;
	pair->is_over[which] =
		run->result.outcome != HEDDLE_OUTCOME_PREFIX && run->result.outcome != HEDDLE_OUTCOME_NONE;
	test_progress(comparing->self->test);
	return 0;
}

/* Whether the run came to the second access, and what follows shows what it led to. */
static bool is_made(const struct pair *pair, size_t which)
{
	return pair->is_parsed[which] && pair->hold_states[which] == HEDDLE_HOLD_MADE;
}

static bool has_left(struct comparing *comparing, const struct instance *instance, const struct pair *pair)
{
	const struct report_state *other = &pair->runs[1].state;
	struct err ignored = ERR_INIT;
	if (!is_made(pair, 1) || (other->end != REPORT_COMPARED && other->end != REPORT_COMPARED_UNKNOWN))
		return true;
	if (states_is_same_path(&pair->runs[0].state, other))
		return false;
	/* What is not known of a long run is not known to a log either. */
	return other->is_more || states_has_left(instance->seen.evidence.trace, other,
						 test_keep_deadline(comparing->self->test), &ignored) != 0;
}

static struct compared_instance compare(struct comparing *comparing, size_t at)
{
	struct classifying *self = comparing->self;
	const struct instance *instance = &self->instances[comparing->from + at];
	const struct pair *pair = &comparing->pairs[at];
	struct compared_instance compared = { .is_recorded = false };
	const enum report_compared_end ends[2] = { pair->runs[0].state.end, pair->runs[1].state.end };
	if (!is_made(pair, 0))
		return compared;
	compared.is_recorded = true;
	compared.has_left = has_left(comparing, instance, pair);
	const struct states states = { .scene = &self->test->judge.scene,
				       .recorded = &pair->runs[0],
				       .other = &pair->runs[1],
				       .race = &instance->seen.evidence.race,
				       .trace = instance->seen.evidence.trace,
				       .deadline = test_keep_deadline(self->test),
				       .object = self->race->presentation.object };
	if (ends[0] == REPORT_COMPARED && ends[1] == REPORT_COMPARED)
		compared.states = states_compare(&states, &comparing->names);
	else if (is_made(pair, 1) && pair->is_over[0] != pair->is_over[1])
		compared.states = STATES_DIFFER;
	return compared;
}

static int run(struct comparing *comparing, struct err *err)
{
	struct campaign campaign;
	comparing->planner.next = next;
	comparing->planner.learn = learn;
	int code = classify_campaign(comparing->self, &campaign, err);
	if (code < 0)
		return code;
	campaign.planner = &comparing->planner;
	campaign.take = take;
	campaign.context = comparing;
	code = campaign_serve(&campaign, err);
	comparing->self->test->classify_runs += campaign.answered;
	return code;
}

/* Compares some of the instances; compared has room for them. */
static int compare_some(struct classifying *self, size_t from, size_t count, struct compared_instance *compared,
			struct err *err)
{
	struct comparing *comparing = mem_alloc(sizeof *comparing);
	comparing->self = self;
	comparing->from = from;
	comparing->count = count;
	int code = run(comparing, err);
	for (size_t i = 0; code == 0 && i < count; i++)
		compared[i] = compare(comparing, i);
	for (size_t i = 0; i < count; i++)
		for (size_t which = 0; which < 2; which++)
			if (comparing->pairs[i].is_parsed[which])
				report_release(&comparing->pairs[i].runs[which]);
	for (size_t i = 0; i < comparing->names.count; i++)
		strings_note(&self->differing, "%s", comparing->names.items[i]);
	strings_release(&comparing->names);
	free(comparing);
	return code;
}

/* A call of the heap is no event, so no region begins there. */
static bool is_comparable(const struct report_race *race)
{
	return report_is_site(&race->earlier) && report_is_site(&race->later);
}

void classify_compare_input(struct classifying *self, size_t from, size_t until)
{
	struct err ignored = ERR_INIT;
	size_t count = 0;
	while (from + count < until && count < MAX_INSTANCES &&
	       is_comparable(&self->instances[from + count].seen.evidence.race))
		count++;
	self->compared = mem_resize(self->compared, (self->compared_count + count + 1) * sizeof *self->compared);
	if (!count || compare_some(self, from, count, self->compared + self->compared_count, &ignored) < 0)
		return;
	self->compared_count += count;
}

int classify_compare(struct classifying *self, struct verdict *verdict, struct err *err)
{
	const size_t count = compared_count(self), inputs = self->compared_count;
	if (!count || !is_comparable(&self->race->evidence.race))
		return 0;
	self->compared = mem_resize(self->compared, (inputs + count) * sizeof *self->compared);
	int code = compare_some(self, 0, count, self->compared + inputs, err);
	if (code < 0)
		return code;
	verdict->states = states_of(self->compared, inputs + count);
	verdict->analyzer = analyzer_of(self->compared + inputs, count);
	return 0;
}
