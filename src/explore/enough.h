/*
 * enough.h: whether more schedules are likely to show something new. What a schedule shows are the bits of channel.seen: switches, and pairs
 * of an access and the write before it. From how many of them were seen in one schedule only, and in two, follows
 * what is left (Good, The Population Frequencies of Species and the Estimation of Population Parameters, Biometrika 1953; Chao,
 * Estimating the Population Size for Capture-Recapture Data with Unequal Catchability, Biometrics 1987), as for fuzzers (Boehme, STADS, TOSEM
 * 2018). Schedules of different strategies are no sample of one population, so these are estimates of magnitude.
 */
#ifndef EXPLORE_ENOUGH_H
#define EXPLORE_ENOUGH_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/abi.h"

#define ENOUGH_RECENT 100u

struct enough {
	uint64_t once[HEDDLE_SEEN_BITS / 64], twice[HEDDLE_SEEN_BITS / 64],
		thrice[HEDDLE_SEEN_BITS / 64]; /* at least */
	uint64_t schedules;
	uint32_t news[ENOUGH_RECENT]; /* of the last schedules, in a ring */
};

/* What a schedule showed. */
void enough_learn(struct enough *self, const uint64_t *seen);

struct enough_estimate {
	bool is_known;       /* there were enough schedules, and the set is not nearly full */
	uint64_t shown;      /* different ones in all schedules */
	uint64_t recent;     /* of the last ENOUGH_RECENT schedules: those that no schedule before had */
	double expected;     /* in the next ENOUGH_RECENT schedules, about */
	double undiscovered; /* at least, about */
};

struct enough_estimate enough_estimate(const struct enough *self);

#endif
