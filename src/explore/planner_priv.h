/* planner_priv.h: the planners that planner_named combines. Hints belong to the caller, which updates them before a planner
 * gets its lesson; they must outlive the planner. */
#ifndef EXPLORE_PLANNER_PRIV_H
#define EXPLORE_PLANNER_PRIV_H

#include "explore/hints.h"

/* A strategy that follows from a seed. depth 0: the usual ones in turn. Every second plan uses hot sites, however few
 * are known: if there are no other races, the decisions are then made where they matter. is_hot_first: the first does, too; for a walk that begins
 * when something is known. */
struct planner *planner_walk_new(const struct hints *hints, uint32_t strategy, uint64_t seed, uint64_t depth,
				 bool is_hot_first);

/* Pairs of opposite schedules without preemption. */
struct planner *planner_complement_new(uint64_t seed);

/* Pairs of writes and reads that were not seen yet. */
struct planner *planner_reads_from_new(const struct hints *hints, uint64_t seed);

/* All schedules with at most bound preemptions. is_strict: those with fewer first; else they come before most of the others,
 * which begin before all of them were tried. Begins anew when there are more hot sites. */
struct planner *planner_dfs_new(const struct hints *hints, uint64_t seed, uint32_t bound, bool is_strict);

/* Of all schedules with at most bound preemptions as many as it takes for each order of dependent events. Begins anew when there are more hot
 * sites. */
struct planner *planner_reduced_new(const struct hints *hints, uint64_t seed, uint32_t bound);

/* All of them; those that find something new are used more often. */
struct planner *planner_portfolio_new(const struct hints *hints, uint64_t seed);

#endif
