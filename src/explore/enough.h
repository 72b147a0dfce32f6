/*
 * enough.h: estimates whether more schedules are likely to show new behaviours. The behaviours of a schedule are the
 * bits of channel.seen: switches, and pairs of an access and the write before it. The numbers of behaviours that were
 * seen in one schedule only, and in two, give an estimate of those that are still unseen (Good, The Population
 * Frequencies of Species and the Estimation of Population Parameters, Biometrika 1953; Chao, Estimating the Population
 * Size for Capture-Recapture Data with Unequal Catchability, Biometrics 1987), as for fuzzers (Boehme, STADS, TOSEM
 * 2018). Schedules of different strategies are not a sample of one population, so only the magnitude of the estimates
 * is meaningful.
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

/* Adds a schedule. seen: its bits, as in the channel. */
void enough_learn(struct enough *self, const uint64_t *seen);

struct enough_estimate {
	bool is_known;       /* there were enough schedules, and the set of bits is not nearly full */
	uint64_t shown;      /* different behaviours in all schedules */
	uint64_t recent;     /* new behaviours in the last ENOUGH_RECENT schedules */
	double expected;     /* estimate of the new behaviours in the next ENOUGH_RECENT schedules */
	double undiscovered; /* estimate of a lower bound of all unseen behaviours */
};

struct enough_estimate enough_estimate(const struct enough *self);

#endif
