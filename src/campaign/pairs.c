/*
 * pairs.c: see pairs.h. The first schedule shows which woven files the program has and where they are; from then on schedules are
 * directed towards the pairs, in turn, until each has shown its race or has had its share.
 */
#include "campaign/pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/test_priv.h"

/* A pair is ordered if its accesses touched common bytes in this many schedules, or in all if there were fewer; in more of them when it
 * is not known what orders them, as that may be an accident of these schedules. */
#define ORDERED_LEAST 10u
#define ORDERED_UNKNOWN_LEAST 50u

struct pair_search {
	struct planner planner; /* first: it is one */
	struct test *test;
	struct test_pairs *pairs;
	struct pair_target *targets; /* by the number of the pair */
	struct planner *first;       /* of the schedule before the pairs are known, ... */
	struct planner *directed;    /* ... and of those after it; null: not yet */
	int (*take)(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err);
};

size_t test_pairs_add(struct test_pairs *self, struct site_pair *sites, bool is_proved)
{
	self->items = mem_resize(self->items, (self->count + 1) * sizeof *self->items);
	self->items[self->count] =
		(struct test_pair){ .sites = *sites, .is_proved = is_proved, .order = REPORT_COMMON_COUNT };
	*sites = (struct site_pair){ 0 };
	return self->count++;
}

void test_pairs_release(struct test_pairs *self)
{
	for (size_t i = 0; i < self->count; i++) {
		site_pair_release(&self->items[i].sites);
		buf_release(&self->items[i].lock);
		free(self->items[i].key);
		free(self->items[i].beside);
	}
	for (size_t i = 0; i < self->program_count; i++) {
		names_release(&self->programs[i].names);
		woven_free((struct woven *)self->programs[i].woven);
		free(self->paths[i]);
	}
	free(self->items);
	free(self->programs);
	free(self->paths);
}

bool test_pair_is_ordered(const struct test_pair *pair)
{
	if (pair->key || !pair->common || pair->unordered)
		return false;
	if (pair->order == REPORT_COMMON_UNKNOWN)
		return pair->common >= ORDERED_UNKNOWN_LEAST;
	return pair->common >= (pair->schedules < ORDERED_LEAST ? pair->schedules : ORDERED_LEAST);
}

/* Files. */

static bool has_path(const struct test_pairs *self, const char *path)
{
	for (size_t i = 0; i < self->program_count; i++)
		if (strcmp(self->paths[i], path) == 0)
			return true;
	return false;
}

static void add_program(struct test_pairs *self, const char *path)
{
	struct woven *woven;
	struct err ignored = ERR_INIT;
	if (has_path(self, path) || woven_open(path, &woven, &ignored) < 0)
		return;
	self->programs = mem_resize(self->programs, (self->program_count + 1) * sizeof *self->programs);
	self->paths = mem_resize(self->paths, (self->program_count + 1) * sizeof *self->paths);
	self->programs[self->program_count] = (struct description){ .woven = woven };
	self->paths[self->program_count++] = mem_copy_string(path);
}

/* The addresses of the sites of a side in the runs. Those of a library that is gone are not there. */
static uint32_t locate_side(const struct test_pairs *pairs, const struct site_list *sites, struct symbols *symbols,
			    uint64_t *places)
{
	uint32_t count = 0;
	for (size_t i = 0; i < sites->count; i++) {
		const struct site_ref *ref = &sites->items[i];
		const uint64_t in_file = woven_site_address(pairs->programs[ref->program].woven, ref->id);
		count += symbols_in_run(symbols, pairs->paths[ref->program], in_file, &places[count]);
	}
	return count;
}

static void locate(struct pair_search *self, struct symbols *symbols)
{
	const struct test_pairs *pairs = self->pairs;
	self->targets = mem_alloc((pairs->count + 1) * sizeof *self->targets);
	for (size_t i = 0; i < pairs->count; i++) {
		struct pair_target *target = &self->targets[i];
		*target = (struct pair_target){ .flags = pairs->items[i].is_proved ? HEDDLE_CONTROL_AUDIT : 0 };
		for (size_t side = 0; side < 2; side++) {
			const struct site_list *sites = &pairs->items[i].sites.sides[side];
			uint64_t *places = mem_alloc((sites->count + 1) * sizeof *places);
			target->place_counts[side] = locate_side(pairs, sites, symbols, places);
			target->places[side] = places;
		}
	}
}

static int find(struct pair_search *self, const struct report *report, struct err *err)
{
	struct test *test = self->test;
	struct test_pairs *pairs = self->pairs;
	for (size_t i = 0; i < report->module_count; i++)
		add_program(pairs, report->modules[i].path);
	int code = pairs->find(pairs, err);
	if (code < 0)
		return code;
	pairs->is_found = true;
	struct symbols *symbols = symbols_new(report);
	locate(self, symbols);
	symbols_free(symbols);
	self->directed =
		planner_pairs_new(self->targets, pairs->count, test->trace.request.seed, (uint32_t)pairs->tries, 1);
	return 0;
}

/* Schedules. */

static bool next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct pair_search *self = (struct pair_search *)planner;
	struct planner *now = self->directed ? self->directed : self->first;
	return now->next(now, plan, reason);
}

static struct test_pair *pair_of(const struct pair_search *self, const struct plan *plan)
{
	const struct pair_target *target = plan->extra;
	return plan->strategy == HEDDLE_STRATEGY_PAIR ? &self->pairs->items[target - self->targets] : NULL;
}

static void learn(struct planner *planner, const struct lesson *lesson)
{
	struct pair_search *self = (struct pair_search *)planner;
	struct planner *now = pair_of(self, lesson->plan) ? self->directed : self->first;
	now->learn(now, lesson);
}

static void free_planner(struct planner *planner)
{
	struct pair_search *self = (struct pair_search *)planner;
	self->first->free(self->first);
	if (self->directed)
		self->directed->free(self->directed);
}

static bool has(const struct pair_target *target, size_t side, uint64_t place)
{
	for (uint32_t i = 0; i < target->place_counts[side]; i++)
		if (target->places[side][i] == place)
			return true;
	return false;
}

static bool is_of(const struct pair_target *target, uint64_t a, uint64_t b)
{
	return (has(target, 0, a) && has(target, 1, b)) || (has(target, 1, a) && has(target, 0, b));
}

/* A schedule may show the races of several pairs. */
static void take_races(struct pair_search *self, const struct report *report, const struct pair_target *own)
{
	struct judge *judge = &self->test->judge;
	for (size_t i = 0; i < report->race_count; i++) {
		const struct report_race *race = &report->races[i];
		const struct finding *found = NULL;
		for (size_t k = 0; k < self->pairs->count; k++) {
			struct pair_target *target = &self->targets[k];
			struct test_pair *pair = &self->pairs->items[k];
			if (pair->key || !is_of(target, race->later.place, race->earlier.place))
				continue;
			found = found ? found : judge_find_race(judge, race);
			if (!found)
				break;
			pair->key = mem_copy_string(found->identity.key);
			/* The planner counts its own. */
			target->shown += target != own;
		}
	}
}

/* What orders the accesses, if that is the same in all schedules. */
static void take_order(struct pair_search *self, struct test_pair *pair, const struct report_common *common)
{
	struct buf name = { 0 };
	if (common->lock && self->test->judge.scene.symbols)
		symbols_describe_data(&name, self->test->judge.scene.symbols, common->lock);
	if (pair->order == REPORT_COMMON_COUNT) {
		pair->order = common->order;
		buf_add_string(&pair->lock, name.data ? name.data : "");
	} else if (pair->order != common->order) {
		pair->order = REPORT_COMMON_UNKNOWN;
	}
	if (pair->lock.size && (!name.data || strcmp(pair->lock.data, name.data) != 0))
		buf_release(&pair->lock);
	buf_release(&name);
}

/* Detection reports the first of several accesses of a thread to the same bytes. */
static void take_beside(struct pair_search *self, const struct report *report, const struct pair_target *target,
			struct test_pair *pair)
{
	for (size_t i = 0; i < report->race_count && !pair->beside; i++) {
		const struct report_race *race = &report->races[i];
		for (size_t side = 0; side < 2 && !pair->beside; side++)
			if (has(target, side, race->later.place) || has(target, side, race->earlier.place)) {
				const struct finding *found = judge_find_race(&self->test->judge, race);
				pair->beside = found ? mem_copy_string(found->identity.key) : NULL;
			}
	}
}

static void take_reached(struct pair_search *self, const struct report *report, const struct pair_target *target,
			 struct test_pair *pair)
{
	bool is_common = false, is_unordered = false;
	pair->schedules++;
	for (size_t side = 0; side < 2; side++) {
		bool is_reached = false;
		for (uint32_t i = 0; i < target->place_counts[side]; i++)
			is_reached |= report_is_reached(report, target->places[side][i]);
		pair->reached[side] += is_reached;
	}
	for (size_t i = 0; i < report->common_count; i++) {
		if (!is_of(target, report->commons[i].places[0], report->commons[i].places[1]))
			continue;
		if (!is_common)
			scene_set(&self->test->judge.scene, report);
		take_order(self, pair, &report->commons[i]);
		is_unordered |= report->commons[i].order == REPORT_COMMON_UNORDERED;
		is_common = true;
	}
	pair->common += is_common;
	pair->unordered += is_unordered;
	if (is_unordered)
		take_beside(self, report, target, pair);
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct pair_search *self = context;
	struct report report;
	struct test_pair *pair = pair_of(self, &run->plan);
	int code = self->take(self->test, run, learned, err);
	if (code < 0)
		return code;
	report_parse(&report, learned->report, learned->report_bytes);
	if (!self->directed) {
		int found = find(self, &report, err);
		code = found < 0 ? found : code;
	}
	if (code >= 0 && self->directed)
		take_races(self, &report, run->plan.extra);
	if (code >= 0 && pair)
		take_reached(self, &report, run->plan.extra, pair);
	report_release(&report);
	return code;
}

static void wait(void *context)
{
	const struct pair_search *self = context;
	test_progress(self->test);
}

/* Results. */

static void judge_pair(struct test *self, const struct test_pairs *pairs, struct test_pair *pair)
{
	struct finding *finding = pair->key ? findings_get(&self->judge.findings, FINDING_DATA_RACE, pair->key) : NULL;
	pair->finding = finding;
	pair->is_cut = !pair->key && pair->schedules < pairs->tries;
	if (!finding) {
		pair->class = test_pair_is_ordered(pair) ? VERDICT_ORDERED : VERDICT_UNDECIDED;
		return;
	}
	if (!finding->evidence.has_verdict && !test_is_stopped(self))
		test_classify_race(self, finding);
	pair->class = finding->evidence.has_verdict ? finding->evidence.verdict.class : VERDICT_UNDECIDED;
}

static void release(struct pair_search *self, size_t count)
{
	for (size_t i = 0; self->targets && i < count; i++) {
		free((uint64_t *)self->targets[i].places[0]);
		free((uint64_t *)self->targets[i].places[1]);
	}
	free(self->targets);
}

int test_run_pairs(struct test *self, struct test_pairs *pairs, struct err *err)
{
	struct pair_search search = {
		.planner = { .next = next, .learn = learn, .free = free_planner },
		.test = self,
		.pairs = pairs,
	};
	test_begin_campaign(self);
	search.first = self->campaign.planner;
	search.take = self->campaign.take;
	self->campaign.planner = &search.planner;
	self->campaign.is_second_first = false;
	self->campaign.take = take;
	self->campaign.wait = wait;
	self->campaign.context = &search;
	self->campaign.runs = 0;
	self->campaign.jobs = 1;
	/* Schedules that are not asked to repeat what is known would not show that they have it. */
	self->campaign.known = NULL;
	self->judge.known = NULL;
	int code = test_serve(self, false, err);
	self->campaign.context = self;
	self->campaign.take = search.take;
	for (size_t i = 0; i < pairs->count && code == 0; i++) {
		judge_pair(self, pairs, &pairs->items[i]);
		pairs->done(pairs, &pairs->items[i]);
	}
	if (code == 0)
		test_reduce(self);
	test_note_details(self);
	struct err unstored = ERR_INIT;
	int closed = test_close_store(self, &unstored);
	if (closed < 0 && code == 0) {
		code = closed;
		*err = unstored;
	}
	self->is_cut = code < 0;
	release(&search, pairs->count);
	return code;
}
