/*
 * planner_portfolio.c: no strategy is the best for every bug, so all of them get turns, and those that recently showed
 * something new get more: a finding, or switches and pairs that no schedule had before (struct lesson, news). Each
 * keeps a share, because what finds the next bug may have shown nothing new so far, but a smaller one if its schedules are repetitions.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "explore/draw.h"
#include "explore/planner_priv.h"

#define FINDING_WORTH 400u /* in the units of news */
#define MAX_NEWS 100u      /* of one schedule */
#define DFS_BOUND 2u
/* Arms have seeds of their own: with the same ones, two strategies that know nothing yet would run the same schedule. */
#define SEEDS_OF_ARM (1ul << 24)
#define ALL_NEW 256u /* of novelty */
#define MIN_NOVELTY 16u

enum arm { ARM_COMPLEMENT, ARM_POS, ARM_SURW, ARM_PCT, ARM_RANDOM, ARM_READS_FROM, ARM_DFS, ARM_PERIOD, ARM_COUNT };

/* The first turns, before anything is known about the arms. The one without preemption runs first: it is the most
 * likely one to end and to be right, and races are judged from the schedule that shows them first. It is number 2 (is_second_first in explore/campaign.h): the first one of
 * reads-from is a random walk, which knows nothing of it. Then what finds most in ten schedules, by measurements on bugs/: from the walk reads-from and surw learn what they need. */
static const uint8_t first_turns[] = {
	ARM_COMPLEMENT, ARM_READS_FROM, ARM_SURW,       ARM_SURW, ARM_READS_FROM, ARM_READS_FROM,
	ARM_SURW,       ARM_READS_FROM, ARM_READS_FROM, ARM_SURW, ARM_READS_FROM, ARM_PERIOD,
	ARM_PCT,        ARM_RANDOM,     ARM_POS,        ARM_DFS,
};
#define FIRST_TURNS (sizeof first_turns / sizeof *first_turns)

/* Turns of each, whatever it shows, in relation to the others: by how soon each found what is in bugs/. */
static const uint16_t shares[ARM_COUNT] = {
	[ARM_COMPLEMENT] = 20, [ARM_POS] = 60,         [ARM_SURW] = 150, [ARM_PCT] = 80,
	[ARM_RANDOM] = 60,     [ARM_READS_FROM] = 250, [ARM_DFS] = 40,   [ARM_PERIOD] = 60,
};

struct portfolio {
	struct planner planner;
	struct planner *arms[ARM_COUNT];
	bool is_over[ARM_COUNT];   /* it has nothing left */
	uint64_t worth[ARM_COUNT]; /* what its schedules showed: a decaying mean */
	/* How many of its schedules were none that had been run before: a decaying mean, in parts of ALL_NEW. */
	uint64_t novelty[ARM_COUNT];
	uint64_t draws, planned;
};

/* Its own, round that of the arm. */
struct extra {
	enum arm arm;
	void *inner;
};

static uint64_t share_of(const struct portfolio *self, int arm)
{
	return self->is_over[arm] ? 0 : shares[arm] * self->novelty[arm] / ALL_NEW + self->worth[arm] + 1;
}

static enum arm draw_arm(struct portfolio *self)
{
	uint64_t sum = 0;
	if (self->planned < FIRST_TURNS)
		return (enum arm)first_turns[self->planned];
	for (int i = 0; i < ARM_COUNT; i++)
		sum += share_of(self, i);
	uint64_t at = draw_below(&self->draws, sum);
	for (int i = 0; i < ARM_COUNT; i++) {
		if (at < share_of(self, i))
			return (enum arm)i;
		at -= share_of(self, i);
	}
	return ARM_RANDOM;
}

static bool portfolio_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct portfolio *self = (struct portfolio *)planner;
	enum arm arm = draw_arm(self);
	self->planned++;
	while (!self->arms[arm]->next(self->arms[arm], plan, reason)) {
		/* Only the search can run out of schedules. That does not end the portfolio. */
		*reason = NULL;
		self->is_over[arm] = true;
		arm = ARM_RANDOM;
	}
	struct extra *extra = mem_alloc(sizeof *extra);
	*extra = (struct extra){ arm, plan->extra };
	plan->extra = extra;
	return true;
}

static void portfolio_learn(struct planner *planner, const struct lesson *lesson)
{
	struct portfolio *self = (struct portfolio *)planner;
	struct extra *extra = lesson->plan->extra;
	struct plan plan = *lesson->plan;
	struct lesson inner = *lesson;
	plan.extra = extra->inner;
	inner.plan = &plan;
	if (lesson->result) {
		uint64_t worth = lesson->news < MAX_NEWS ? lesson->news : MAX_NEWS;
		worth += lesson->findings * FINDING_WORTH;
		self->worth[extra->arm] = (self->worth[extra->arm] * 7 + worth) / 8;
		uint64_t *novelty = &self->novelty[extra->arm];
		*novelty = (*novelty * 7 + (lesson->is_new ? ALL_NEW : 0)) / 8;
		if (*novelty < MIN_NOVELTY)
			*novelty = MIN_NOVELTY;
	}
	self->arms[extra->arm]->learn(self->arms[extra->arm], &inner);
	free(extra);
}

static void portfolio_free(struct planner *planner)
{
	struct portfolio *self = (struct portfolio *)planner;
	for (int i = 0; i < ARM_COUNT; i++)
		self->arms[i]->free(self->arms[i]);
	free(self);
}

struct planner *planner_portfolio_new(const struct hints *hints, uint64_t seed)
{
	struct portfolio *self = mem_alloc(sizeof *self);
	self->planner = (struct planner){ portfolio_next, portfolio_learn, portfolio_free, NULL };
	self->draws = seed;
	self->arms[ARM_POS] = planner_walk_new(hints, HEDDLE_STRATEGY_POS, seed + SEEDS_OF_ARM * ARM_POS, 0, true);
	self->arms[ARM_SURW] = planner_walk_new(hints, HEDDLE_STRATEGY_SURW, seed + SEEDS_OF_ARM * ARM_SURW, 0, true);
	self->arms[ARM_COMPLEMENT] = planner_complement_new(seed + SEEDS_OF_ARM * ARM_COMPLEMENT);
	self->arms[ARM_PCT] = planner_walk_new(hints, HEDDLE_STRATEGY_PCT, seed + SEEDS_OF_ARM * ARM_PCT, 0, true);
	self->arms[ARM_RANDOM] =
		planner_walk_new(hints, HEDDLE_STRATEGY_RANDOM, seed + SEEDS_OF_ARM * ARM_RANDOM, 0, true);
	self->arms[ARM_DFS] = planner_dfs_new(hints, seed + SEEDS_OF_ARM * ARM_DFS, DFS_BOUND, false);
	self->arms[ARM_PERIOD] =
		planner_walk_new(hints, HEDDLE_STRATEGY_PERIOD, seed + SEEDS_OF_ARM * ARM_PERIOD, 0, true);
	self->arms[ARM_READS_FROM] = planner_reads_from_new(hints, seed + SEEDS_OF_ARM * ARM_READS_FROM);
	for (int i = 0; i < ARM_COUNT; i++)
		self->novelty[i] = ALL_NEW;
	return &self->planner;
}
