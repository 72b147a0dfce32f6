/*
 * classify_states.c: whether the states after both orders of a race are the same, from one pair of runs of each of its instances, which end behind
 * the sequencing regions of both accesses (world/schedule/compared.h). So also what the rule of the Record/Replay Analyzer alone says
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
	struct pair pairs[MAX_INSTANCES];
	size_t asked, taken; /* two for each instance */
	struct strings names;
};

/* Instances that are compared: further ones are of runs that were found on the way, or have other inputs. */
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
	if (comparing->asked == 2 * compared_count(self))
		return false;
	const struct instance *instance = &self->instances[comparing->asked / 2];
	struct heddle_hold hold = classify_hold(instance, comparing->asked % 2, instance->first, false, false);
	hold.is_compared = 1;
	comparing->asked++;
	*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_ORDERED,
			       .flags = HEDDLE_CONTROL_HOT,
			       .seed = self->race->evidence.plan.seed,
			       .hot = self->hot,
			       .hot_count = self->hot_count,
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
	const struct instance *instance = &self->instances[at];
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

int classify_compare(struct classifying *self, struct verdict *verdict, struct strings *names, struct err *err)
{
	struct comparing *comparing = mem_alloc(sizeof *comparing);
	struct compared_instance compared[MAX_INSTANCES] = { 0 };
	const size_t count = compared_count(self);
	const struct report_race *race = &self->race->evidence.race;
	comparing->self = self;
	/* A call of the heap is no event, so no region begins there. */
	const bool is_comparable = count && report_is_site(&race->earlier) && report_is_site(&race->later);
	int code = is_comparable ? run(comparing, err) : 0;
	for (size_t i = 0; code == 0 && is_comparable && i < count; i++)
		compared[i] = compare(comparing, i);
	if (code == 0 && is_comparable) {
		verdict->states = states_of(compared, count);
		verdict->analyzer = analyzer_of(compared, count);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t which = 0; which < 2; which++)
			if (comparing->pairs[i].is_parsed[which])
				report_release(&comparing->pairs[i].runs[which]);
	*names = comparing->names;
	free(comparing);
	return code;
}
