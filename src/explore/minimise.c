/* minimise.c: see minimise.h. */
#include "explore/minimise.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explore/planner_priv.h"

#define SMALL_PART 4u
#define OTHERS 200u /* schedules of another kind that are tried, ... */
#define EARLY 60u   /* ... the number of those that come first if the schedule has more than a few preemptions */
#define FEW 16u
#define EARLY_WORTH                                                                                                    \
	FEW /* a schedule with up to that many more preemptions is better than one with a sleep that ends early */
#define STRICT_OTHERS                                                                                                  \
	60u /* schedules that are tried when a sleep has to end early and there is at most one preemption */

enum phase {
	PHASE_CONFIRM, /* all of the steps */
	PHASE_NONE,    /* none of them */
	PHASE_STRICT,  /* without sleeps and time-outs that end early */
	PHASE_FREE,    /* without those where the thread could not go on */
	PHASE_PARTS,   /* without a part */
	PHASE_OTHERS,  /* schedules of a strategy that preempts little: one of them may fail, too */
	PHASE_FEWER,   /* all schedules with fewer preemptions */
	PHASE_OVER,
};

struct minimise {
	struct planner planner;
	uint64_t seed, runs, planned, others;
	enum phase phase;
	struct steps best, tried; /* in the order of the run */
	struct steps kept;        /* the best of another schedule before, when has_kept */
	uint64_t kept_seed;
	bool has_kept;
	struct heddle_step *sorted;
	size_t part, at; /* size of the parts, and where the one is that is left out */
	bool was_reduced;
	bool is_early; /* other schedules are tried before parts of this one are left out */
	bool is_confirmed, is_fewest;
	uint32_t flags;                    /* of the best */
	bool is_waiting;                   /* for a lesson */
	struct planner *search, *walks[2]; /* one that preempts little, and one that preempts at points */
	struct hints hints;
};

static size_t preemptions(const struct steps *steps)
{
	return steps_preemptions(steps->items, steps->count);
}

static size_t early(const struct steps *steps)
{
	return steps_early(steps->items, steps->count);
}

/* Of two failing schedules, the one with less of it is better. */
static size_t cost(const struct steps *steps)
{
	return preemptions(steps) + EARLY_WORTH * early(steps);
}

static void copy_without(struct steps *to, const struct steps *from, size_t at, size_t count)
{
	to->count = 0;
	for (size_t i = 0; i < from->count; i++)
		if (i < at || i >= at + count)
			steps_add(to, &from->items[i]);
}

/* Leaving out hundreds of preemptions takes thousands of runs with an uncertain result; another failing schedule with
 * few preemptions is better. */
static bool wants_other_first(const struct minimise *self)
{
	return !self->has_kept && self->others < EARLY && preemptions(&self->best) > FEW;
}

static void begin_parts(struct minimise *self)
{
	self->phase = self->best.count ? PHASE_PARTS : PHASE_FEWER;
	self->part = (self->best.count + 1) / 2;
	self->at = 0;
	self->was_reduced = false;
}

static void swap_steps(struct steps *a, struct steps *b)
{
	struct steps old = *a;
	*a = *b;
	*b = old;
}

/* Of the schedule that was looked at last and the one before, the better one. */
static void settle(struct minimise *self, bool is_usable)
{
	if (self->has_kept && (!is_usable || cost(&self->kept) <= cost(&self->best))) {
		swap_steps(&self->kept, &self->best);
		self->seed = self->kept_seed;
	}
	self->has_kept = false;
}

/* Runs after which no others are tried. To try all with fewer than two takes hundreds, which may well be there; with fewer than
 * three or more it hardly ever ends, and others find more. */
static uint64_t runs_for_others(const struct minimise *self, size_t count)
{
	return count > 2 ? self->runs - self->runs / 8 : self->runs / 2;
}

static void begin_fewer(struct minimise *self)
{
	settle(self, true);
	size_t count = preemptions(&self->best);
	bool has_early = early(&self->best) > 0;
	uint64_t others = count > 1 ? OTHERS : has_early ? STRICT_OTHERS : 0;
	if (self->others < others && self->planned < runs_for_others(self, count)) {
		self->phase = PHASE_OTHERS;
		return;
	}
	self->phase = PHASE_FEWER;
	if (count == 0 && !has_early) {
		self->is_fewest = true;
		self->phase = PHASE_OVER;
	} else {
		/* The search lets no sleep end early: a schedule that fails in it with as many preemptions, or with
		 * one, is better. */
		uint32_t bound = has_early ? (count ? (uint32_t)count : 1) : (uint32_t)count - 1;
		self->search = planner_dfs_new(&self->hints, self->seed, bound, true);
	}
}

/* A needless switch to a thread and back is two or three consecutive steps, which may begin anywhere: so small parts
 * overlap, and they are tried until no step can be left out. */
static void next_part(struct minimise *self, bool is_smaller)
{
	if (is_smaller)
		self->was_reduced = true;
	else
		self->at += self->part > SMALL_PART ? self->part : 1;
	if (self->at < self->best.count)
		return;
	self->at = 0;
	if (self->part > 1) {
		self->part = (self->part + 1) / 2;
	} else if (self->was_reduced) {
		self->part = SMALL_PART;
		self->was_reduced = false;
	} else {
		begin_fewer(self);
	}
}

static void propose(struct minimise *self)
{
	self->tried.count = 0;
	switch (self->phase) {
	case PHASE_CONFIRM:
		copy_without(&self->tried, &self->best, 0, 0);
		break;
	case PHASE_FREE:
		for (size_t i = 0; i < self->best.count; i++)
			if (step_is_preemption(&self->best.items[i]) || step_is_early(&self->best.items[i]))
				steps_add(&self->tried, &self->best.items[i]);
		break;
	case PHASE_STRICT:
		for (size_t i = 0; i < self->best.count; i++)
			if (!step_is_early(&self->best.items[i]))
				steps_add(&self->tried, &self->best.items[i]);
		break;
	case PHASE_PARTS:
		copy_without(&self->tried, &self->best, self->at, self->part);
		break;
	case PHASE_NONE:
	case PHASE_OTHERS:
	case PHASE_FEWER:
	case PHASE_OVER:
		break;
	}
}

static void give(struct minimise *self, struct plan *plan)
{
	if (self->phase == PHASE_OTHERS) {
		const char *reason;
		struct planner *walk = self->walks[wants_other_first(self) ? 0 : self->others % 2];
		self->others++;
		walk->next(walk, plan, &reason);
		plan->flags |= HEDDLE_CONTROL_STEPS;
		/* A failure that needs it may need fewer preemptions with it. */
		if (early(&self->best) && preemptions(&self->best) > 1 && self->others / 2 % 2)
			plan->flags |= HEDDLE_CONTROL_EARLY;
		return;
	}
	*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_STEERED, .seed = self->seed };
	self->sorted = mem_resize(self->sorted, (self->tried.count + 1) * sizeof *self->sorted);
	if (self->tried.count)
		memcpy(self->sorted, self->tried.items, self->tried.count * sizeof *self->sorted);
	steps_sort(self->sorted, self->tried.count);
	plan->steps = self->sorted;
	plan->step_count = (uint32_t)self->tried.count;
}

/* The steps of the search's plan are by thread; that is good enough where the order does not matter. */
static bool give_search(struct minimise *self, struct plan *plan)
{
	const char *reason;
	if (!self->search->next(self->search, plan, &reason)) {
		/* With more than this, others that let fewer sleeps end early, or preempt less often, were not all tried. */
		self->is_fewest = early(&self->best) == 0 || cost(&self->best) == EARLY_WORTH;
		return false;
	}
	self->tried.count = 0;
	for (uint32_t i = 0; i < plan->step_count; i++)
		steps_add(&self->tried, &plan->steps[i]);
	return true;
}

static bool minimise_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct minimise *self = (struct minimise *)planner;
	(void)reason;
	if (self->phase == PHASE_OVER || self->is_waiting || self->planned >= self->runs ||
	    self->best.count > HEDDLE_STEPS)
		return false;
	if (self->phase == PHASE_FEWER) {
		if (!give_search(self, plan)) {
			self->phase = PHASE_OVER;
			return false;
		}
	} else {
		propose(self);
		give(self, plan);
	}
	self->planned++;
	self->is_waiting = true;
	return true;
}

/* Another schedule failed. */
static void take_other(struct minimise *self, const struct lesson *lesson)
{
	if (!steps_take(&self->tried, lesson->channel) || !self->tried.count)
		return;
	if (wants_other_first(self) && preemptions(&self->tried) > FEW)
		return;
	swap_steps(&self->kept, &self->best);
	swap_steps(&self->best, &self->tried);
	self->kept_seed = self->seed;
	self->seed = lesson->plan->seed;
	self->has_kept = true;
	self->phase = PHASE_CONFIRM;
}

static void learn_confirmed(struct minimise *self, bool is_failure)
{
	if (is_failure) {
		self->is_confirmed = true;
		self->phase = PHASE_NONE;
	} else if (self->has_kept) {
		settle(self, false);
		begin_fewer(self);
	} else {
		self->phase = PHASE_OVER;
	}
}

static void begin_reducing(struct minimise *self)
{
	self->is_early = wants_other_first(self);
	self->phase = self->is_early ? PHASE_OTHERS : PHASE_FREE;
}

static void minimise_learn(struct planner *planner, const struct lesson *lesson)
{
	struct minimise *self = (struct minimise *)planner;
	bool is_failure = lesson->result && lesson->is_failure;
	self->is_waiting = false;
	hints_learn(&self->hints, lesson);
	if (self->phase == PHASE_FEWER)
		self->search->learn(self->search, lesson);
	if (is_failure && self->phase != PHASE_CONFIRM && self->phase != PHASE_OTHERS)
		swap_steps(&self->best, &self->tried);
	switch (self->phase) {
	case PHASE_CONFIRM:
		learn_confirmed(self, is_failure);
		break;
	case PHASE_OTHERS:
		if (is_failure)
			take_other(self, lesson);
		else if (self->is_early && !wants_other_first(self))
			self->phase = PHASE_FREE;
		else if (!self->is_early)
			begin_fewer(self);
		self->is_early &= self->phase == PHASE_OTHERS;
		break;
	case PHASE_NONE:
		if (is_failure)
			begin_fewer(self);
		else if (early(&self->best))
			self->phase = PHASE_STRICT;
		else
			begin_reducing(self);
		break;
	case PHASE_STRICT:
		begin_reducing(self);
		break;
	case PHASE_FREE:
		begin_parts(self);
		break;
	case PHASE_PARTS:
		next_part(self, is_failure);
		break;
	case PHASE_FEWER:
		/* The search goes by number of preemptions, so the first that fails has the fewest. */
		if (is_failure) {
			self->is_fewest = true;
			self->flags = lesson->plan->flags;
			self->phase = PHASE_OVER;
		}
		break;
	case PHASE_OVER:
		break;
	}
}

static void minimise_free(struct planner *planner)
{
	struct minimise *self = (struct minimise *)planner;
	if (self->search)
		self->search->free(self->search);
	for (int i = 0; i < 2; i++)
		self->walks[i]->free(self->walks[i]);
	steps_release(&self->best);
	steps_release(&self->tried);
	steps_release(&self->kept);
	free(self->sorted);
	free(self);
}

struct planner *minimise_new(const struct steps *steps, uint64_t seed, const uint64_t *hot, uint32_t hot_count,
			     uint64_t runs)
{
	struct minimise *self = mem_alloc(sizeof *self);
	self->planner = (struct planner){ minimise_next, minimise_learn, minimise_free, NULL };
	self->seed = seed;
	self->runs = runs;
	self->walks[0] = planner_walk_new(&self->hints, HEDDLE_STRATEGY_PCT, seed, 0, false);
	self->walks[1] = planner_walk_new(&self->hints, HEDDLE_STRATEGY_RANDOM, seed, 0, false);
	copy_without(&self->best, steps, 0, 0);
	self->hints.hot_count = hot_count < HEDDLE_HOT_SITES ? hot_count : HEDDLE_HOT_SITES;
	if (self->hints.hot_count)
		memcpy(self->hints.hot, hot, self->hints.hot_count * sizeof *hot);
	return &self->planner;
}

void minimise_result(const struct planner *planner, struct minimise_result *result)
{
	const struct minimise *self = (const struct minimise *)planner;
	/* In the middle of looking at another schedule, that may be the worse one. */
	bool is_kept = self->has_kept && cost(&self->kept) <= cost(&self->best);
	const struct steps *best = is_kept ? &self->kept : &self->best;
	*result = (struct minimise_result){
		.is_confirmed = self->is_confirmed,
		.is_fewest = self->is_fewest,
		.flags = self->flags,
		.hot = self->hints.hot,
		.hot_count = self->flags & HEDDLE_CONTROL_HOT ? self->hints.hot_count : 0,
		.seed = is_kept ? self->kept_seed : self->seed,
		.steps = best->items,
		.step_count = best->count,
		.preemption_count = preemptions(best),
		.early_count = early(best),
		.runs = self->planned,
	};
}
