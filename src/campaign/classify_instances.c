/*
 * classify_instances.c: the dynamic pairs of accesses that a race is judged by. The first is the one that the test recorded. Others
 * are from the same schedule (the last of the pair there, and one in between, by the seed), and from other schedules, which a short search
 * finds: the same two accesses may matter in one place of a run and not in another (Kasikci and others, Portend, section 3.3).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "campaign/classify_log.h"
#include "explore/draw.h"
#include "judge/evidence.h"
#include "judge/retrace.h"
#include "judge/second_pass.h"

/* Schedules that are run to find one more that has the race. */
#define TRIES 6u

/* The strategies of these schedules, in turn. */
static const uint32_t strategies_tried[] = { HEDDLE_STRATEGY_RANDOM, HEDDLE_STRATEGY_POS, HEDDLE_STRATEGY_SURW };

struct finding_more {
	struct planner planner; /* first: it is one */
	struct classifying *self;
	size_t most;
	uint64_t asked, tries;
};

static int compare_places(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

void classify_add_hot(uint64_t *hot, uint32_t *count, uint32_t room, const struct report_access *access)
{
	bool is_present = !report_is_site(access) || *count == room;
	for (uint32_t i = 0; i < *count && !is_present; i++)
		is_present = hot[i] == access->place;
	if (is_present)
		return;
	hot[(*count)++] = access->place;
	qsort(hot, *count, sizeof *hot, compare_places);
}

void classify_known_hot(const struct classifying *self, uint64_t hot[MAX_HOT_KNOWN], uint32_t *count)
{
	const struct findings *findings = &self->test->judge.findings;
	memcpy(hot, self->hot, self->hot_count * sizeof *self->hot);
	*count = self->hot_count;
	for (size_t i = 0; i < findings->count; i++) {
		const struct report_race *race = &findings->items[i]->evidence.race;
		if (!test_is_race(findings->items[i]))
			continue;
		classify_add_hot(hot, count, MAX_HOT_KNOWN, &race->earlier);
		classify_add_hot(hot, count, MAX_HOT_KNOWN, &race->later);
	}
}

bool classify_is_alike(struct classifying *self, const struct report_access *a, const struct report_access *b)
{
	struct scene_place places[2];
	if (a->place == b->place)
		return true;
	/* No run was judged yet. */
	if (!self->test->judge.scene.symbols)
		return false;
	scene_place(&self->test->judge.scene, a->place, &places[0]);
	scene_place(&self->test->judge.scene, b->place, &places[1]);
	return places[0].line && places[0].line == places[1].line && places[0].file && places[1].file &&
	       strcmp(places[0].file, places[1].file) == 0;
}

/* Whether its first access is the one that comes second in the finding's own race. A variant has other accesses of the same lines. */
static bool is_swapped(struct classifying *self, const struct report_race *race)
{
	const struct report_race *own = &self->race->evidence.race;
	if (race->earlier.place == own->later.place && race->later.place == own->earlier.place)
		return race->earlier.place != race->later.place;
	return !classify_is_alike(self, &race->earlier, &own->earlier);
}

/* The number of the first instance with the same two places. */
static size_t find_pair(const struct classifying *self, const struct report_race *race)
{
	for (size_t i = 0; i + 1 < self->instance_count; i++) {
		const struct report_race *other = &self->instances[i].seen.evidence.race;
		if ((race->earlier.place == other->earlier.place && race->later.place == other->later.place) ||
		    (race->earlier.place == other->later.place && race->later.place == other->earlier.place))
			return i;
	}
	return self->instance_count - 1;
}

/* Whether it has the order of its places that the first instance with the same places does not have. */
static bool is_reverse_of(const struct instance *instance, const struct instance *first)
{
	return instance != first && (instance->seen.evidence.race.earlier.place !=
				     first->seen.evidence.race.earlier.place) != first->is_swapped;
}

struct instance *classify_add_instance(struct classifying *self, const struct report_race *race, char *trace,
				       bool is_temporary)
{
	struct instance *instance = &self->instances[self->instance_count++];
	*instance = (struct instance){ .is_trace_temporary = is_temporary };
	instance->seen.evidence.race = *race;
	instance->input = self->test->input;
	instance->is_related = instance->input && !classify_is_variant(self, race);
	instance->pair = find_pair(self, race);
	instance->is_swapped = instance->is_related ? is_reverse_of(instance, &self->instances[instance->pair])
						    : is_swapped(self, race);
	classify_add_hot(instance->hot, &instance->hot_count, 2, &race->earlier);
	classify_add_hot(instance->hot, &instance->hot_count, 2, &race->later);
	if (!instance->input) {
		classify_add_hot(self->hot, &self->hot_count, MAX_HOT, &race->earlier);
		classify_add_hot(self->hot, &self->hot_count, MAX_HOT, &race->later);
	}
	instance->seen.identity.kind = FINDING_DATA_RACE;
	instance->seen.evidence.origin = FINDING_OF_RACE;
	instance->seen.evidence.trace = trace;
	return instance;
}

/* Whether both are accesses of the same two sites, in either order. */
static bool is_same_pair(const struct report_race *a, const struct report_race *b)
{
	return (a->earlier.place == b->earlier.place && a->later.place == b->later.place) ||
	       (a->earlier.place == b->later.place && a->later.place == b->earlier.place);
}

bool classify_is_variant(struct classifying *self, const struct report_race *race)
{
	return is_same_pair(race, &self->race->evidence.race) || judge_is_race_of(&self->test->judge, self->race, race);
}

bool classify_is_new_variant(struct classifying *self, const struct report_race *race)
{
	for (size_t i = 0; i < self->instance_count; i++)
		if (is_same_pair(race, &self->instances[i].seen.evidence.race))
			return false;
	return classify_is_variant(self, race);
}

uint64_t classify_first_event(struct classifying *self, struct instance *instance, bool is_at_lock, struct err *err)
{
	struct second_pass second;
	struct finding *seen = &instance->seen;
	uint64_t event = 0;
	if (is_at_lock && instance->lock)
		return instance->lock;
	if (second_pass(&second, &seen, 1, test_keep_deadline(self->test), err) == 0 && second.looks[0].is_seen) {
		const struct report_watch *earlier = second_look_watch(&second.looks[0], SECOND_EARLIER);
		event = earlier ? earlier->event : 0;
		for (size_t i = 0; event && is_at_lock && i < earlier->held_count; i++)
			event = earlier->held[i].event < event ? earlier->held[i].event : event;
	}
	second_pass_release(&second);
	return event;
}

int classify_prepare(struct classifying *self, struct instance *instance, struct err *err)
{
	struct trace recorded;
	bool is_all = false;
	trace_init(&recorded);
	int code = trace_read(instance->seen.evidence.trace, &recorded, err);
	if (code == 0)
		code = test_find_steps(self->test, &recorded, &instance->steps, &is_all, err);
	instance->is_beginning = !is_all;
	instance->recorded_hash = recorded.result.event_hash;
	instance->event_count = recorded.result.event_count;
	steps_sort(instance->steps.items, instance->steps.count);
	trace_free(&recorded);
	if (code == 0 && !instance->first)
		instance->first = classify_first_event(self, instance, false, err);
	if (code == 0 && !instance->first)
		code = err->message[0] ? -EINVAL : err_set(err, EINVAL, "the first access was not seen again");
	return code;
}

void classify_drop_last(struct classifying *self)
{
	struct instance *instance = &self->instances[--self->instance_count];
	if (instance->is_trace_temporary)
		unlink(instance->seen.evidence.trace);
	free(instance->seen.evidence.trace);
	steps_release(&instance->steps);
}

static bool next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct finding_more *more = (struct finding_more *)planner;
	const struct classifying *self = more->self;
	(void)reason;
	if (more->asked == more->tries || self->instance_count >= more->most || classify_is_spent(self))
		return false;
	*plan = (struct plan){ .strategy = strategies_tried[more->asked % 3],
			       .flags = HEDDLE_CONTROL_HOT,
			       .seed = self->race->evidence.plan.seed + 1 + more->asked,
			       .hot = self->hot,
			       .hot_count = self->hot_count };
	more->asked++;
	return true;
}

static void learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

/* The one to keep of a schedule: a pair of places that no instance has, or else any that the finding is about. Null: there is none. */
static const struct report_race *choose(struct classifying *self, const struct report *report)
{
	const struct report_race *same = NULL;
	for (size_t i = 0; i < report->race_count; i++) {
		const struct report_race *race = &report->races[i];
		if (classify_is_new_variant(self, race))
			return race;
		same = same || !classify_is_variant(self, race) ? same : race;
	}
	return same;
}

/* Whether an instance is of that schedule. */
static bool is_known(const struct classifying *self, uint64_t event_hash)
{
	for (size_t i = 0; i < self->instance_count; i++)
		if (self->instances[i].recorded_hash == event_hash)
			return true;
	return false;
}

/* Keeps a schedule that has the race, if it is another one than those that there are. */
static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct finding_more *more = context;
	struct classifying *self = more->self;
	struct report report;
	int code = 0;
	self->test->classify_events += run->result.event_count + TEST_SCHEDULE_EVENTS;
	report_parse(&report, learned->report, learned->report_bytes);
	const bool is_wanted = self->instance_count < more->most && !is_known(self, run->result.event_hash);
	const struct report_race *race = is_wanted ? choose(self, &report) : NULL;
	if (race) {
		char *name = mem_format(".instance%zu", self->instance_count), *trace = NULL;
		code = evidence_keep_as(self->race, run, &self->test->trace, name, &trace, err);
		if (code == 0)
			classify_add_instance(self, race, trace, true)->recorded_hash = run->result.event_hash;
		free(name);
	}
	self->events += run->result.event_count;
	report_release(&report);
	test_progress(self->test);
	return code;
}

static int find_schedules(struct classifying *self, size_t most, struct err *err)
{
	struct finding_more more = { .planner = { .next = next, .learn = learn }, .self = self, .most = most };
	struct campaign campaign = self->test->campaign;
	const size_t had = self->instance_count;
	if (had >= most)
		return 0;
	more.tries = TRIES * (most - had);
	campaign.planner = &more.planner;
	campaign.known = NULL;
	campaign.jobs = 1;
	campaign.runs = 0;
	campaign.audits = 0;
	campaign.answered = 0;
	campaign.before = self->test->campaign.answered + self->test->steer_runs + self->test->classify_runs;
	campaign.seconds = classify_seconds(self);
	campaign.take = take;
	campaign.wait = NULL;
	campaign.context = &more;
	if (test_is_timed(self->test) && campaign.seconds <= 0)
		return err_set(err, ETIME, "its runs are long: there was no time for them within the time limit");
	int code = campaign_serve(&campaign, err);
	self->test->classify_runs += campaign.answered;
	/* What cannot be replayed is no instance; the rest keeps its order. */
	size_t kept = had;
	for (size_t i = had; i < self->instance_count; i++) {
		struct err ignored = ERR_INIT;
		struct instance moved = self->instances[i];
		const bool is_good = code == 0 && classify_prepare(self, &moved, &ignored) == 0;
		if (is_good) {
			self->instances[kept++] = moved;
			continue;
		}
		unlink(moved.seen.evidence.trace);
		free(moved.seen.evidence.trace);
		steps_release(&moved.steps);
	}
	self->instance_count = kept;
	return code;
}

/* How many of that number of instances are to be of other schedules; and the maximum of them, if the recorded one has few. */
static size_t other_schedules(size_t most)
{
	return most < 3 ? 0 : most / 4 ? most / 4 : 1;
}

static size_t most_schedules(size_t most)
{
	return most < 3 ? most - 1 : most / 2;
}

int classify_find_instances(struct classifying *self, size_t most, struct err *err)
{
	const struct finding *race = self->race;
	most = most < MAX_INSTANCES ? most : MAX_INSTANCES;
	classify_add_instance(self, &race->evidence.race, mem_copy_string(race->evidence.trace), false);
	int code = classify_prepare(self, &self->instances[0], err);
	if (code < 0)
		return code;
	struct err ignored = ERR_INIT;
	classify_replay_instances(self, most - other_schedules(most), &ignored);
	code = classify_needs_log(self, err);
	/* A program that waits for nobody is run live first: one of its other schedules may come to the accesses. */
	self->is_from_log = code == 1 && !self->can_be_live;
	if (code < 0 || self->is_from_log)
		return code < 0 ? code : 0;
	const size_t rest = self->instance_count + most_schedules(most);
	return find_schedules(self, rest < most ? rest : most, err);
}

void classify_release_instances(struct classifying *self)
{
	while (self->instance_count)
		classify_drop_last(self);
}
