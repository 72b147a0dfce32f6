/*
 * hints.h: facts that are learned from every schedule, whichever planner planned it: which sites race, how many events
 * and points a schedule has, how many each thread has, and which switches and pairs were seen.
 */
#ifndef EXPLORE_HINTS_H
#define EXPLORE_HINTS_H

#include "explore/planner.h"

/* Facts about the points of schedules, either without hot sites or with them. */
struct hints_points {
	uint64_t max_points; /* of a schedule */
	struct heddle_weight weights[HEDDLE_WEIGHTS];
	uint32_t weight_count;
};

struct hints {
	uint64_t hot[HEDDLE_HOT_SITES]; /* ascending */
	uint32_t hot_count;
	uint64_t length;               /* events of the longest run that exited, up to its fair tail */
	struct hints_points points[2]; /* [0]: without hot sites, [1]: with them */
	uint64_t seen[HEDDLE_SEEN_BITS / 64];
};

/* Learns from the lesson, and returns the number of new bits of channel.seen. A lesson without a result is ignored. */
uint32_t hints_learn(struct hints *self, const struct lesson *lesson);

/* Whether schedules are so long that decisions at every access would take too much time. Then only accesses at hot
 * sites are points. */
bool hints_are_long(const struct hints *self);

/* Fills in the lists that the plan's strategy needs: weights and, if is_hot, the hot sites and their flag. Also sets
 * the length of the plan, in the unit that the strategy counts in. The lists are part of self. */
void hints_give(const struct hints *self, struct plan *plan, bool is_hot);

#endif
