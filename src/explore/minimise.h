/*
 * minimise.h: a planner that looks for the fewest preemptions with which a schedule still fails. It plans steered
 * schedules (world/schedule/steered.c); the caller that runs them sets lesson.is_failure if the failure is the same.
 * The planner learns most when one job runs at a time.
 *
 * The planner first leaves out parts of the schedule's switches, halves and then smaller parts, as long as the schedule
 * fails (Zeller and Hildebrandt: Simplifying and Isolating Failure-Inducing Input, IEEE TSE 28(2), 2002). After that,
 * no remaining switch can be left out alone. If the schedule still has more than one preemption, the planner tries
 * schedules of a strategy that preempts little, and reduces those that fail in the same way. Then it tries all
 * schedules with fewer preemptions, as far as the number of runs allows. If the given schedule has more than a few
 * preemptions, other schedules are tried before anything is left out of it.
 *
 * Sleeps and time-outs that end early (world/schedule/early.h) are steps like switches. A schedule without them is
 * preferred: the planner first leaves out all of them at once, and lets none end early in other schedules.
 */
#ifndef EXPLORE_MINIMISE_H
#define EXPLORE_MINIMISE_H

#include "explore/planner.h"
#include "trace/steps.h"

/* steps: those of the failing schedule, in the order of the run; they are copied. seed: the seed of that schedule. hot:
 * its racy sites, for the search with fewer preemptions. runs: the maximum number of schedules to plan. */
struct planner *minimise_new(const struct steps *steps, uint64_t seed, const uint64_t *hot, uint32_t hot_count,
			     uint64_t runs);

struct minimise_result {
	bool is_confirmed;   /* the schedule failed again when steered; otherwise nothing was learned */
	bool is_fewest;      /* every schedule with fewer preemptions was tried */
	uint64_t seed;       /* of the resulting schedule, which may not be the given one */
	uint32_t flags;      /* of its plan */
	const uint64_t *hot; /* of its plan; the planner's */
	uint32_t hot_count;
	const struct heddle_step *steps; /* in the order of the run; the planner's */
	size_t step_count, preemption_count;
	size_t early_count; /* sleeps and time-outs that end early */
	uint64_t runs;
};

/* Fills in the result so far. Call it after next has returned false, or earlier to stop the search. planner: from
 * minimise_new. */
void minimise_result(const struct planner *planner, struct minimise_result *result);

#endif
