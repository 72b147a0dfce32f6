/*
 * planner.h: who decides which schedule comes next. A planner names the next plan (strategy, seed and what they need) and
 * learns from how it went. With several jobs a few more plans are asked for before the first is learned from, always as
 * many, and lessons come in the order of the plans: a planner that is a function of its seed makes a campaign one.
 */
#ifndef EXPLORE_PLANNER_H
#define EXPLORE_PLANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* One schedule to run: see struct heddle_channel. */
struct plan {
	uint32_t strategy; /* enum heddle_strategy */
	uint64_t seed, depth, length;
	void *extra; /* the planner's own; given back with the lesson, or when a plan is dropped */
};

/* How a plan went. All of it is valid during the call only. */
struct lesson {
	const struct plan *plan;
	const struct trace_result *result;
	const char *report; /* channel.report: see heddle/abi.h */
	size_t report_bytes;
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
};

/* Random and pct with depths 2 to 4 by turns, each with seeds of its own from this one on. */
struct planner *planner_rotating_new(uint64_t seed);

/* One strategy, with seeds from plan->seed on, each so many times. */
struct planner *planner_fixed_new(const struct plan *plan, uint64_t repeat);

#endif
