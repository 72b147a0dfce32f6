/* planner_named.c: planners by name, with hints: see planner.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "explore/planner_priv.h"
#include "explore/strategies.h"

#define DFS_BOUND 2u

struct named {
	struct planner planner;
	struct planner *inner;
	struct planner *locks; /* null: it has no part in this */
	uint64_t planned;
	bool is_early;
	struct hints hints;
};

/* Of the plans behind the first EARLY_FIRST, two of each four: those with hot sites and those without alternate. Of these, behind the
 * first LATE_FIRST, one of LATE_OF has long sleeps, too: programs that sleep for seconds do it to be certain of an order. */
#define EARLY_FIRST 10u
#define LATE_FIRST 256u
#define LATE_OF 8u

static void set_timing(const struct named *self, struct plan *plan)
{
	uint64_t turn = self->planned - 1, pair = turn / 2;
	bool is_steered = plan->strategy == HEDDLE_STRATEGY_STEERED || plan->strategy == HEDDLE_STRATEGY_LOCKS;
	if (!self->is_early || is_steered || turn < EARLY_FIRST || pair % 2 == 0)
		return;
	plan->flags |= HEDDLE_CONTROL_EARLY;
	if (turn >= LATE_FIRST && pair / 2 % LATE_OF == 0)
		plan->flags |= HEDDLE_CONTROL_LATE;
}

static bool named_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct named *self = (struct named *)planner;
	/* Not all at once: there may be many. Nor the second one: it is number 1 of the test, and what the first one shows is nothing to it. */
	const uint64_t turn = self->planned++;
	if (turn && turn % 2 == 0 && self->locks && self->locks->next(self->locks, plan, reason))
		return true;
	if (!self->inner->next(self->inner, plan, reason))
		return false;
	set_timing(self, plan);
	return true;
}

static void named_learn(struct planner *planner, const struct lesson *lesson)
{
	struct named *self = (struct named *)planner;
	struct lesson informed = *lesson;
	informed.news = hints_learn(&self->hints, lesson);
	struct planner *whose = lesson->plan->strategy == HEDDLE_STRATEGY_LOCKS ? self->locks : self->inner;
	whose->learn(whose, &informed);
}

static const char *named_progress(struct planner *planner)
{
	struct named *self = (struct named *)planner;
	return self->inner->progress ? self->inner->progress(self->inner) : NULL;
}

static void named_free(struct planner *planner)
{
	struct named *self = (struct named *)planner;
	self->inner->free(self->inner);
	if (self->locks)
		self->locks->free(self->locks);
	free(self);
}

/* Planners that are more than a walk through the seeds of one strategy. */

static struct planner *portfolio(const struct hints *hints, uint64_t seed, uint64_t depth)
{
	(void)depth;
	return planner_portfolio_new(hints, seed);
}

static struct planner *complement(const struct hints *hints, uint64_t seed, uint64_t depth)
{
	(void)hints, (void)depth;
	return planner_complement_new(seed);
}

static struct planner *reads_from(const struct hints *hints, uint64_t seed, uint64_t depth)
{
	(void)depth;
	return planner_reads_from_new(hints, seed);
}

static struct planner *dfs(const struct hints *hints, uint64_t seed, uint64_t depth)
{
	return planner_reduced_new(hints, seed, depth && depth < UINT32_MAX ? (uint32_t)depth : DFS_BOUND);
}

/* Without the reduction. */
static struct planner *dfs_full(const struct hints *hints, uint64_t seed, uint64_t depth)
{
	return planner_dfs_new(hints, seed, depth && depth < UINT32_MAX ? (uint32_t)depth : DFS_BOUND, true);
}

/* Until the orders are known. */
static struct planner *expose(const struct hints *hints, uint64_t seed, uint64_t depth)
{
	(void)hints, (void)depth;
	return planner_complement_new(seed);
}

#define PLANNER_DEFAULT "portfolio"

/* One row each: its word, how it is made, and whether it has a --depth. */
#define PLANNERS(EACH)                                                                                                 \
	EACH(PLANNER_DEFAULT, portfolio, false)                                                                        \
	EACH("complement", complement, false)                                                                          \
	EACH("reads-from", reads_from, false)                                                                          \
	EACH("dfs", dfs, true)                                                                                         \
	EACH("dfs-full", dfs_full, true)                                                                               \
	EACH("expose", expose, false)

#define PLANNER_ROW(word, make, has_depth) { word, make, has_depth },
static const struct {
	const char *word;
	struct planner *(*make)(const struct hints *hints, uint64_t seed, uint64_t depth);
	bool has_depth;
} searches[] = { PLANNERS(PLANNER_ROW) };

#define PLANNER_WORD(word, make, has_depth) word,
#define WALK_YES(word) word,
#define WALK_NO(word)
#define WALK_WORD(ID, number, name, word, by_seed, walk, points, depth, length) WALK_##walk(word)
const char *const planner_names[] = { PLANNERS(PLANNER_WORD) HEDDLE_STRATEGIES(WALK_WORD) NULL };

static struct planner *inner_new(const struct hints *hints, const char *name, uint64_t seed, uint64_t depth)
{
	for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
		if (strcmp(name, searches[i].word) == 0)
			return searches[i].make(hints, seed, depth);
	const struct strategies_row *row = strategies_find(name);
	return row && row->is_walk ? planner_walk_new(hints, row->number, seed, depth, false) : NULL;
}

int planner_check_name(const char *name, struct err *err)
{
	for (size_t i = 0; name && planner_names[i]; i++)
		if (strcmp(name, planner_names[i]) == 0)
			return 0;
	if (!name)
		return 0;
	const char *nearest = text_nearest(name, planner_names);
	if (nearest)
		err_hint(err, "did you mean %s?", nearest);
	else
		err_hint(err, "heddle test --help lists the strategies");
	return err_set(err, EINVAL, "unknown strategy \"%s\"", name);
}

bool planner_has_depth(const char *name)
{
	for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
		if (strcmp(name, searches[i].word) == 0)
			return searches[i].has_depth;
	const struct strategies_row *row = strategies_find(name);
	return row && row->is_walk && row->depth;
}

struct planner *planner_named_new(const char *name, uint64_t seed, uint64_t depth, struct lock_cycles *cycles)
{
	struct named *self = mem_alloc(sizeof *self);
	self->planner = (struct planner){ named_next, named_learn, named_free, named_progress };
	seed = plan_first_seed(seed);
	self->inner = inner_new(&self->hints, name, seed, depth);
	if (!self->inner) {
		free(self);
		return NULL;
	}
	/* Any other strategy that is asked for by name runs unmixed. */
	if (cycles && strcmp(name, PLANNER_DEFAULT) == 0)
		self->locks = planner_locks_new(cycles, seed);
	return &self->planner;
}

void planner_named_allow_early(struct planner *planner)
{
	((struct named *)planner)->is_early = true;
}
