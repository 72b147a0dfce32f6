/*
 * minimise.h: a planner that looks for the fewest preemptions that still make a schedule fail. It plans steered
 * schedules (world/schedule/steered.c); the caller that runs them sets lesson.is_failure when it is the same failure.
 * One job at a time learns most.
 *
 * First parts of the schedule's switches are left out, in halves, then in smaller parts, as long as it fails (Zeller
 * and Hildebrandt: Simplifying and Isolating Failure-Inducing Input, IEEE TSE 28(2), 2002). None of the remaining
 * switches can be left out alone. When it has more than one preemption, schedules of a strategy that preempts little
 * are tried, and those that fail are reduced in the same way; then all schedules with fewer preemptions, as far as runs
 * allow. When the schedule has more than a few, such others are tried before anything is left out of it.
 *
 * Sleeps and time-outs that end early (world/schedule/early.h) are steps like switches. A schedule without them is preferred, so all of them
 * are left out at once first, and the search for others lets none end early.
 */
#ifndef EXPLORE_MINIMISE_H
#define EXPLORE_MINIMISE_H

#include "explore/planner.h"
#include "trace/steps.h"

/* steps: of the failing schedule, in the order of the run; copied. seed: its own. hot: its racy sites, for the last part.
 * runs: the maximum number of schedules to plan. */
struct planner *minimise_new(const struct steps *steps, uint64_t seed, const uint64_t *hot, uint32_t hot_count,
			     uint64_t runs);

struct minimise_result {
	bool is_confirmed;   /* the schedule failed again when steered; else nothing was learned */
	bool is_fewest;      /* every schedule with fewer preemptions was tried */
	uint64_t seed;       /* of the schedule, which may be a different one from the given one */
	uint32_t flags;      /* of the plan, with these: */
	const uint64_t *hot; /* the planner's */
	uint32_t hot_count;
	const struct heddle_step *steps; /* in the order of the run; the planner's */
	size_t step_count, preemption_count;
	size_t early_count; /* sleeps and time-outs that end early */
	uint64_t runs;
};

/* After next has returned false, or at any time before to stop early. planner: from minimise_new. */
void minimise_result(const struct planner *planner, struct minimise_result *result);

#endif
