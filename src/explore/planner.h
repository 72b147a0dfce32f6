/*
 * planner.h: decides which schedule comes next. A planner returns the next plan (strategy, seed and what they need) and
 * learns from its result. With several jobs a fixed number of further plans is requested before the first lesson, and
 * lessons come in the order of the plans: if a planner is a function of its seed, so is the campaign.
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

/* One schedule to run: see struct heddle_channel. */
struct plan {
	uint32_t strategy; /* enum heddle_strategy */
	uint32_t flags;    /* HEDDLE_CONTROL_HOT, _CHOICES and _STEPS, if it has them */
	uint64_t seed, depth, length;
	/* Lists of the channel's. The planner's, until it is called again. */
	const uint64_t *hot;
	const struct heddle_step *steps;
	const struct heddle_weight *weights;
	const struct heddle_wish *wishes;
	const struct heddle_lock_pair *lock_pairs;
	struct heddle_hold hold; /* of HEDDLE_STRATEGY_ORDERED */
	uint32_t hot_count, step_count, weight_count, wish_count, lock_pair_count;
	void *extra; /* the planner's own; given back with the lesson, or when a plan is dropped */
};

/* Copies the lists into the channel, and clears the arrays that a run fills. Call it before requesting the schedule; the caller sets
 * strategy, numbers and flags. */
void plan_put(const struct plan *plan, struct heddle_channel *channel);

/* The result of a plan. Valid only during the call. */
struct lesson {
	const struct plan *plan;
	const struct trace_result *result;
	const char *report; /* channel.report: see heddle/abi.h */
	size_t report_bytes;
	const struct heddle_channel *channel; /* what the run reported; not to be trusted */
	uint32_t news;     /* of channel.seen that no schedule before had: planner_named fills it in */
	bool is_new;       /* no schedule before had this event hash */
	bool is_failure;   /* it ended in a way that is a finding */
	uint32_t findings; /* that no schedule before had */
};

struct planner {
	/* The next plan. Returns false when there is nothing left to try; then *reason may say why in a few words, such as
	 * "all schedules with at most 2 preemptions were tried". */
	bool (*next)(struct planner *self, struct plan *plan, const char **reason);
	/* Null lesson->result: the schedule was not run to its end. */
	void (*learn)(struct planner *self, const struct lesson *lesson);
	void (*free)(struct planner *self);
	/* For a planner that tries all schedules of some kind: its progress, worded like *reason of next, for a
	 * campaign that ends before the planner is done. Null: the planner is not exhaustive. */
	const char *(*progress)(struct planner *self);
};

/* The first seed of the schedules of a test with this seed. Seeds increase by one from there, so they must be far apart for
 * different tests: any two seeds that differ by less than 2^32 are more than 2^30 schedules apart. */
uint64_t plan_first_seed(uint64_t seed);

/* Random and pct with depths 2 to 4 in turn, each with seeds of its own from this one on. */
struct planner *planner_rotating_new(uint64_t seed);

/*
 * By name: "portfolio", the strategies random, pct, pos, surw, period, complement, round-robin, priority, reverse with
 * inputs learned on the way, and the searches "reads-from" and "dfs". depth: if not 0, of pct and period,
 * and of dfs the most preemptions. Null: there is no such name. Racy accesses that lessons show become places to switch
 * at, where a strategy can make use of it. cycles: of lock orders, which the portfolio tries as soon as they are there;
 * null: there will be none. They are the caller's and must stay.
 */
struct planner *planner_named_new(const char *name, uint64_t seed, uint64_t depth, struct lock_cycles *cycles);
/* From the next plan on, half of the plans let short sleeps and time-outs end early (world/schedule/early.h), and a few of the later ones long sleeps,
 * too. The first plans do not: what fails without that is better shown without it. Neither do dfs and schedules towards
 * deadlocks. planner: from planner_named_new. */
void planner_named_allow_early(struct planner *planner);
/* The names; the last is null. */
extern const char *const planner_names[];

/* Returns 0 if there is a planner of that name or it is null; else -EINVAL with err set. */
int planner_check_name(const char *name, struct err *err);

/* Whether the planner of that name has a --depth. */
bool planner_has_depth(const char *name);

/* Schedules towards the deadlocks of the cycles, except those that were shown or tried often enough, by this or another
 * planner. Ends when there are no more. The cycles are the caller's and must stay. */
struct planner *planner_locks_new(struct lock_cycles *cycles, uint64_t seed);

/* Two accesses that may race, to be reached by schedules. */
struct pair_target {
	/* Addresses of the struct heddle_site of each side in the running program. At most HEDDLE_HOT_SITES in
	 * all are used. The caller's. */
	const uint64_t *places[2];
	uint32_t place_counts[2];
	uint32_t flags; /* more of enum heddle_control_flag for its schedules */
	/* Filled in by the planner. */
	uint32_t planned, tried; /* schedules that were planned; that were run to their end */
	uint32_t met;            /* of these: two threads made such accesses to common bytes right after each other */
	uint32_t
		shown; /* of these: detection reported the race; it must not leave out what is known (campaign.known) */
};

/* Schedules that bring two threads before the accesses of each target (world/schedule/pair.c), in turn, at most tries for each; a
 * target is done after as many as wanted have shown its race. Ends when all are done. Targets are the caller's and must stay. */
struct planner *planner_pairs_new(struct pair_target *targets, size_t target_count, uint64_t seed, uint32_t tries,
				  uint32_t wanted);

/* An order that a training has always seen: accesses of the first side come before those of the second, by another thread. */
struct expose_target {
	const uint64_t *places[2]; /* as of struct pair_target; the caller's */
	uint32_t place_counts[2];
	uint32_t flags;         /* more of enum heddle_control_flag for its schedules */
	uint32_t first, second; /* places in the training data; the caller's */
	/* Filled in by the planner. */
	uint64_t planned, tried;                    /* schedules */
	uint64_t broken_good, broken_bad;           /* in which the order was broken: that ended well; that failed */
	bool is_pruned;                             /* the program does not rely on it: it is no longer tried */
	uint64_t lock_event, lock_seed, lock_depth; /* the next schedule; 0: none is to be repeated */
};

/* Schedules that try to break each order, in turn, at most tries for each (0: without end). Ends when there are none left. */
struct planner *planner_expose_new(struct expose_target *targets, size_t target_count, uint64_t seed, uint64_t tries);

/* One strategy, with seeds from plan->seed on, each repeat times. */
struct planner *planner_fixed_new(const struct plan *plan, uint64_t repeat);

#endif
