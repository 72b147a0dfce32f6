/* expose.c: see expose.h. The first schedule shows where the program's woven files are; from then on orders can be tried. */
#include "campaign/expose.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "campaign/test_priv.h"
#include "learned/plan.h"
#include "store/store.h"

#define STRATEGY "expose"
/* In a test with other strategies: one in how many plans, and how many schedules of each order. */
#define SHARE 8u
#define TRIES_BESIDE 8u
/* With --strategy expose, which ends when all were tried. */
#define TRIES_ALONE 40u
#define MAX_NOTES 10u

struct test_expose {
	struct planner planner; /* first: it is one */
	struct planner *rest;   /* of the other schedules */
	struct planner *own;    /* null: it is not known yet where the places are */
	char *path;
	struct learned learned;
	struct guard_plan plan;
	struct expose_target *targets;
	size_t target_count;
	uint64_t planned;
	bool is_alone; /* --strategy expose */
	int (*take)(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err);
};

/* The only member of a set, if it is no nil; else 0. */
static uint32_t only_member(const struct guard_plan *plan, uint32_t place)
{
	uint32_t found = 0;
	for (uint32_t member = 0; member <= plan->content.settings.place_count; member++) {
		if (!guard_plan_allows(plan, place, member))
			continue;
		if (found || member == 0)
			return 0;
		found = member;
	}
	return found;
}

static void find_targets(struct test_expose *self)
{
	const struct guard_plan *plan = &self->plan;
	for (uint32_t second = 1; second <= plan->content.settings.place_count; second++) {
		const uint32_t first = only_member(plan, second);
		if (!first || first == second || guard_plan_allows(plan, first, second))
			continue;
		self->targets = mem_resize(self->targets, (self->target_count + 1) * sizeof *self->targets);
		self->targets[self->target_count++] =
			(struct expose_target){ .first = plan->numbers[first], .second = plan->numbers[second] };
	}
}

/* Where the sites of a place are in the runs. */
static const uint64_t *locate(const struct test_expose *self, struct symbols *symbols, uint32_t place, uint32_t *count,
			      uint32_t *flags)
{
	uint64_t *places = NULL;
	*count = 0;
	for (size_t b = 0; b < self->plan.builds.count; b++) {
		const struct build *build = &self->plan.builds.items[b];
		for (uint32_t i = 0; i < build->site_count; i++) {
			uint64_t address;
			const uint32_t at = build->of_site[i];
			if (at == BUILD_NONE || learned_find(&self->learned, build->keys[at]) != place ||
			    !symbols_in_run(symbols, build->path, woven_site_address(build->woven, i), &address))
				continue;
			/* Without that the runtime does not observe accesses that are proved not to race. */
			struct woven_site site;
			if (woven_site(build->woven, i, &site) && site.record.flags & HEDDLE_SITE_PROVED)
				*flags |= HEDDLE_CONTROL_AUDIT;
			places = mem_resize(places, (*count + 1) * sizeof *places);
			places[(*count)++] = address;
		}
	}
	return places;
}

static void locate_all(struct test_expose *self, const struct report *report, uint64_t seed)
{
	struct symbols *symbols = symbols_new(report);
	for (size_t i = 0; i < self->target_count; i++) {
		struct expose_target *target = &self->targets[i];
		target->places[0] = locate(self, symbols, target->first, &target->place_counts[0], &target->flags);
		target->places[1] = locate(self, symbols, target->second, &target->place_counts[1], &target->flags);
	}
	symbols_free(symbols);
	self->own = planner_expose_new(self->targets, self->target_count, plan_first_seed(seed),
				       self->is_alone ? TRIES_ALONE : TRIES_BESIDE);
}

static bool next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct test_expose *self = (struct test_expose *)planner;
	const bool is_own = self->own && (self->is_alone || self->planned % SHARE == SHARE - 1);
	self->planned++;
	if (is_own && self->own->next(self->own, plan, reason))
		return true;
	if (is_own && self->is_alone)
		return false;
	*reason = NULL;
	return self->rest->next(self->rest, plan, reason);
}

static void learn(struct planner *planner, const struct lesson *lesson)
{
	struct test_expose *self = (struct test_expose *)planner;
	struct planner *whose = lesson->plan->strategy == HEDDLE_STRATEGY_EXPOSE ? self->own : self->rest;
	whose->learn(whose, lesson);
}

static const char *progress(struct planner *planner)
{
	struct test_expose *self = (struct test_expose *)planner;
	return self->rest->progress ? self->rest->progress(self->rest) : NULL;
}

static void release(struct test_expose *self)
{
	for (size_t i = 0; i < self->target_count; i++) {
		free((uint64_t *)self->targets[i].places[0]);
		free((uint64_t *)self->targets[i].places[1]);
	}
	free(self->targets);
	guard_plan_release(&self->plan);
	learned_release(&self->learned);
	free(self->path);
	free(self);
}

/* The rest is that of test_expose_end. */
static void free_planner(struct planner *planner)
{
	struct test_expose *self = (struct test_expose *)planner;
	self->rest->free(self->rest);
	if (self->own)
		self->own->free(self->own);
	self->rest = self->own = NULL;
	release(self);
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct test *test = context;
	struct test_expose *self = test->expose;
	const int code = self->take(test, run, learned, err);
	if (!self->own && code >= 0) {
		struct report report;
		report_parse(&report, learned->report, learned->report_bytes);
		locate_all(self, &report, test->trace.request.seed);
		report_release(&report);
	}
	return code;
}

static int no_data(const struct test *self, bool has_data, struct err *err)
{
	char *shown = text_terminal_copy(self->trace.program);
	err_hint(err, "train first: heddle train -- %s", shown);
	err_set(err, ENOENT,
		has_data ? "the training data of \"%s\" have no order of two accesses to try"
			 : "there are no training data of \"%s\", whose orders could be tried",
		shown);
	free(shown);
	return -ENOENT;
}

int test_expose_begin(struct test *self, struct err *err)
{
	struct test_expose *expose = mem_alloc(sizeof *expose);
	const char *strategy = self->request->run.strategy;
	struct err ignored = ERR_INIT;
	*expose = (struct test_expose){
		.planner = { next, learn, free_planner, progress },
		.path = learned_path(store_folder(self->request->store), self->trace.program),
		.is_alone = strategy && strcmp(strategy, STRATEGY) == 0,
	};
	/* Any other strategy that is asked for by name runs unmixed. */
	const bool is_wanted = expose->is_alone || !strategy || strcmp(strategy, planner_names[0]) == 0;
	const bool has_data =
		is_wanted && access(expose->path, R_OK) == 0 &&
		learned_read(&expose->learned, expose->path, &ignored) == 0 &&
		guard_plan_make(&expose->plan, &expose->learned, self->trace.program, NULL, &ignored) == 0;
	if (has_data)
		find_targets(expose);
	if (!expose->target_count) {
		const bool is_alone = expose->is_alone;
		release(expose);
		return is_alone ? no_data(self, has_data, err) : 0;
	}
	expose->rest = self->campaign.planner;
	expose->take = self->campaign.take;
	self->campaign.planner = &expose->planner;
	self->campaign.take = take;
	self->expose = expose;
	return 0;
}

static const struct learned_place *place_of(const struct test_expose *self, uint32_t place)
{
	return &self->learned.places[place - 1];
}

static void note(struct test *test, const struct test_expose *self, const struct expose_target *target)
{
	struct buf first = { 0 }, second = { 0 };
	learned_place_describe(&first, place_of(self, target->first));
	learned_place_describe(&second, place_of(self, target->second));
	if (target->broken_bad)
		strings_note(&test->notes,
			     "an order that the training always had was broken in %" PRIu64
			     " schedule%s that failed: %s "
			     "before %s",
			     target->broken_bad, target->broken_bad == 1 ? "" : "s", second.data, first.data);
	buf_release(&first);
	buf_release(&second);
}

/* The second access may come after nothing from now on. */
static int prune(const struct test_expose *self, uint64_t *count, struct err *err)
{
	struct learned now = { 0 };
	int lock = learned_lock(self->path, err);
	int code = lock < 0 ? lock : learned_read(&now, self->path, err);
	for (size_t i = 0; i < self->target_count && code == 0; i++) {
		if (!self->targets[i].is_pruned)
			continue;
		char *key = learned_place_key(place_of(self, self->targets[i].second));
		const struct learned_history history = { .place = learned_find(&now, key),
							 .is_whole = true,
							 .runs = 1 };
		if (history.place) {
			learned_add_history(&now, &history, 0);
			++*count;
		}
		free(key);
	}
	if (code == 0)
		code = learned_write(&now, self->path, err);
	if (lock >= 0)
		learned_unlock(self->path, lock);
	learned_release(&now);
	return code;
}

void test_expose_end(struct test *self)
{
	const struct test_expose *expose = self->expose;
	size_t tried = 0, broken = 0, pruned = 0, noted = 0;
	uint64_t removed = 0;
	struct err err = ERR_INIT;
	if (!expose)
		return;
	for (size_t i = 0; i < expose->target_count; i++) {
		const struct expose_target *target = &expose->targets[i];
		tried += target->tried != 0;
		broken += target->broken_bad != 0;
		pruned += target->is_pruned;
		if (target->broken_bad && noted++ < MAX_NOTES)
			note(self, expose, target);
	}
	const int code = pruned ? prune(expose, &removed, &err) : 0;
	if (tried)
		strings_note(&self->notes,
			     "%zu of %zu order%s that the training always had %s tried: broken in schedules that "
			     "failed %zu, "
			     "in others %zu%s",
			     tried, expose->target_count, expose->target_count == 1 ? "" : "s",
			     expose->target_count == 1 ? "was" : "were", broken, pruned,
			     removed ? ", which the training data now allow" : "");
	if (code < 0)
		strings_note(&self->notes, "the training data still have orders that schedules broke: %s", err.message);
	self->expose = NULL;
}
