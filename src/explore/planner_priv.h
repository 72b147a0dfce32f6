/* planner_priv.h: the planners that planner_named combines. The hints belong to the caller, which updates them before
 * it passes a lesson to a planner; they must outlive the planner. */
#ifndef EXPLORE_PLANNER_PRIV_H
#define EXPLORE_PLANNER_PRIV_H

#include "explore/hints.h"

/* Plans a strategy that is determined by a seed. depth: 0 for the usual depths in turn. Every second plan uses hot
 * sites, however few are known: if there are no other races, these are the places where decisions matter. is_hot_first:
 * the first plan uses them, too; for a walk that begins when some hot sites are known. */
struct planner *planner_walk_new(const struct hints *hints, uint32_t strategy, uint64_t seed, uint64_t depth,
				 bool is_hot_first);

/* Plans pairs of opposite schedules without preemption. */
struct planner *planner_complement_new(uint64_t seed);

/* Plans schedules for pairs of a write and a read of its value that were not seen yet. */
struct planner *planner_reads_from_new(const struct hints *hints, uint64_t seed);

/* Plans all schedules with at most `bound` preemptions. is_strict: all schedules with fewer preemptions come first;
 * otherwise they come before most of the others, which begin before all of the former were tried. Starts again when
 * there are more hot sites. */
struct planner *planner_dfs_new(const struct hints *hints, uint64_t seed, uint32_t bound, bool is_strict);

/* Plans only those schedules with at most `bound` preemptions that are needed to have each order of dependent events.
 * Starts again when there are more hot sites. */
struct planner *planner_reduced_new(const struct hints *hints, uint64_t seed, uint32_t bound);

/* Combines all of them; those that find something new are used more often. */
struct planner *planner_portfolio_new(const struct hints *hints, uint64_t seed);

#endif
