/*
 * hints.h: what is learned from every schedule, whichever planner planned it: which sites race, how many events and
 * points a schedule has, how many each thread has, and which switches and pairs were seen.
 */
#ifndef EXPLORE_HINTS_H
#define EXPLORE_HINTS_H

#include "explore/planner.h"

/* What is known about points, without hot sites and with them. */
struct hints_points {
	uint64_t max_points; /* of a schedule */
	struct heddle_weight weights[HEDDLE_WEIGHTS];
	uint32_t weight_count;
};

struct hints {
	uint64_t hot[HEDDLE_HOT_SITES]; /* ascending */
	uint32_t hot_count;
	uint64_t length; /* events of the longest run that ended by itself */
	struct hints_points points[2];
	uint64_t seen[HEDDLE_SEEN_BITS / 64];
};

/* Learns from the lesson, and returns how much of what it shows is new. A lesson without a result is ignored. */
uint32_t hints_learn(struct hints *self, const struct lesson *lesson);

/* Whether schedules are so long that a decision at every access would take too much time: then only hot sites are points. */
bool hints_are_long(const struct hints *self);

/* Fills the lists of the plan's strategy: weights, and with is_hot the hot sites and the flag. length: in what the strategy
 * counts. */
void hints_give(const struct hints *self, struct plan *plan, bool is_hot);

#endif
