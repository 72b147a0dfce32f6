/*
 * planner.h: a planner decides which schedule runs next. It returns a plan (a strategy, a seed and their parameters)
 * and learns from the result of each plan. With several jobs a fixed number of plans is requested before the first
 * lesson, and lessons come in the order of the plans: if a planner is a function of its seed, so is the campaign. Not
 * for concurrent use.
 */
#ifndef EXPLORE_PLANNER_H
#define EXPLORE_PLANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "explore/lock_cycle.h"
#include "heddle/abi.h"
#include "trace/trace.h"

/* One schedule to run. The members mean the same as in struct heddle_channel. */
struct plan {
	uint32_t strategy; /* enum heddle_strategy */
	uint32_t flags;    /* HEDDLE_CONTROL_HOT, _CHOICES and _STEPS, if it has them */
	uint64_t seed, depth, length;
	/* Lists for the channel. They belong to the planner and are valid until it is called again. */
	const uint64_t *hot;
	const struct heddle_step *steps;
	const struct heddle_weight *weights;
	const struct heddle_wish *wishes;
	const struct heddle_lock_pair *lock_pairs;
	struct heddle_hold hold; /* of HEDDLE_STRATEGY_ORDERED */
	uint32_t hot_count, step_count, weight_count, wish_count, lock_pair_count;
	void *extra; /* the planner's own; given back with the lesson, or when a plan is dropped */
};

/* Copies the lists into the channel, and clears the arrays that a run fills. Call it before requesting the schedule.
 * The caller sets the strategy, the numbers and the flags. */
void plan_put(const struct plan *plan, struct heddle_channel *channel);

/* The result of a plan. Valid only during the call. */
struct lesson {
	const struct plan *plan;
	const struct trace_result *result;
	const char *report; /* channel.report: see heddle/abi.h */
	size_t report_bytes;
	const struct heddle_channel *channel; /* as the run left it; not trusted */
	uint32_t news;     /* bits of channel.seen that no earlier schedule had: planner_named fills it in */
	bool is_new;       /* no earlier schedule had this event hash */
	bool is_failure;   /* it ended in a way that is a finding */
	uint32_t findings; /* number of findings that no earlier schedule had */
};

struct planner {
	/* Fills in the next plan and returns true. Returns false when nothing is left to try; then *reason may be set
	 * to a few words such as "all schedules with at most 2 preemptions were tried". */
	bool (*next)(struct planner *self, struct plan *plan, const char **reason);
	/* Called once for each plan. If lesson->result is null, the schedule was not run to its end. */
	void (*learn)(struct planner *self, const struct lesson *lesson);
	void (*free)(struct planner *self);
	/* Returns the progress of a planner that tries all schedules of some kind, worded like *reason of next, for a
	 * campaign that ends before the planner is done. The member is null if the planner is not exhaustive. */
	const char *(*progress)(struct planner *self);
};

/* Returns the seed of the first schedule of a test with this seed. The seeds of its further schedules increase by one,
 * so the results for different tests must be far apart: for any two seeds that differ by less than 2^32 they differ by
 * more than 2^30. */
uint64_t plan_first_seed(uint64_t seed);

/* Returns a planner that alternates random and pct with depths 2 to 4, each with its own seeds, starting with this
 * one. */
struct planner *planner_rotating_new(uint64_t seed);

/*
 * Returns the planner with this name: "portfolio"; one of the strategies random, pct, pos, surw, period, complement,
 * round-robin, priority and reverse, with parameters learned from lessons; or one of the searches "reads-from" and
 * "dfs". Returns null if there is no such name. depth: if not 0, the depth of pct and period, and the maximum number of
 * preemptions of dfs. Racy accesses that lessons show become places to switch at, for strategies that can use them.
 * cycles: the cycles of lock orders, which the portfolio tries as soon as they are found; null if there will be none.
 * They belong to the caller and must stay.
 */
struct planner *planner_named_new(const char *name, uint64_t seed, uint64_t depth, struct lock_cycles *cycles);
/* From the next plan on, half of the plans let short sleeps and time-outs end early (world/schedule/early.h), and a few
 * of the later plans also long sleeps. The first plans let none end early, because a failure that does not need it is
 * better shown without it. Neither do dfs and schedules that are steered towards deadlocks. planner: from
 * planner_named_new. */
void planner_named_allow_early(struct planner *planner);
/* The names of planners; the last is null. */
extern const char *const planner_names[];

/* Returns 0 if there is a planner of that name or the name is null; otherwise -EINVAL with err set. */
int planner_check_name(const char *name, struct err *err);

/* Whether the planner of that name uses --depth. */
bool planner_has_depth(const char *name);

/* Returns a planner that steers schedules towards the deadlocks of the cycles, except those that this or another
 * planner has shown or tried often enough. It ends when no cycles are left. The cycles belong to the caller and must
 * stay. */
struct planner *planner_locks_new(struct lock_cycles *cycles, uint64_t seed);

/* Two accesses that may race, which schedules try to bring together. */
struct pair_target {
	/* Addresses of the struct heddle_site of each side in the running program; the arrays are the caller's. At most
	 * HEDDLE_HOT_SITES addresses in all are used. */
	const uint64_t *places[2];
	uint32_t place_counts[2];
	uint32_t flags; /* more of enum heddle_control_flag for its schedules */
	/* Filled in by the planner. */
	uint32_t planned, tried; /* schedules that were planned; that were run to their end */
	uint32_t met;            /* tried ones in which two threads made such accesses to common bytes in a row */
	/* Tried ones in which detection reported the race. Runs must report known races by lines, too
	 * (campaign.known). */
	uint32_t shown;
};

/* Returns a planner of schedules that bring two threads to the accesses of each target (world/schedule/pair.c). Targets
 * take turns, with at most `tries` schedules each; a target is done when `wanted` schedules have shown its race. The
 * planner ends when all are done. The targets belong to the caller and must stay. */
struct planner *planner_pairs_new(struct pair_target *targets, size_t target_count, uint64_t seed, uint32_t tries,
				  uint32_t wanted);

/* An order that a training has always seen: accesses of the first side come before those of the second, by another
 * thread. */
struct expose_target {
	const uint64_t *places[2]; /* as in struct pair_target; the caller's */
	uint32_t place_counts[2];
	uint32_t flags;         /* more of enum heddle_control_flag for its schedules */
	uint32_t first, second; /* places in the training data; the caller's */
	/* Filled in by the planner. */
	uint64_t planned, tried;                    /* schedules */
	uint64_t broken_good, broken_bad;           /* tried ones that broke the order: that ended well; that failed */
	bool is_pruned;                             /* the program does not rely on the order: no further tries */
	uint64_t lock_event, lock_seed, lock_depth; /* of a schedule to repeat next; 0: none */
};

/* Returns a planner of schedules that try to break each order. Targets take turns, with at most `tries` schedules each
 * (0: no limit). It ends when none are left. The targets belong to the caller and must stay. */
struct planner *planner_expose_new(struct expose_target *targets, size_t target_count, uint64_t seed, uint64_t tries);

/* Returns a planner of one strategy, with seeds from plan->seed on, each `repeat` times. */
struct planner *planner_fixed_new(const struct plan *plan, uint64_t repeat);

#endif
