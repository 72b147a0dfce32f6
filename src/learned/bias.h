/*
 * bias.h: groups of places: two places are in one group if a training saw both at one cell of memory, or both with a third one. In programs that
 * compute, a few groups make most of the accesses; they cost most of the time of a guard, and are the ones that testing has seen most (Zhang and others, IEEE
 * TSE 2016, section 3.4.1). A group can be left out without a change to the sets of the others.
 *
 * Invariants:
 *  1. Places of different groups are in no common history.
 *     Assured by tests/cli/bias.t.
 */
#ifndef LEARNED_BIAS_H
#define LEARNED_BIAS_H

#include "learned/data.h"

/* A group with more than this part of all accesses to memory that several threads use is left out. */
#define BIAS_PERCENT 30u

struct bias_group {
	uint32_t place_count;
	uint32_t top; /* its place with the most accesses */
	uint64_t accesses;
	bool is_left_out;
};

/* Start with { 0 }. */
struct bias {
	struct bias_group *groups; /* most accesses first */
	size_t group_count;
	uint32_t *
		group_of; /* by place, from 1: the number of its group, from 1; 0: two threads do not use what it accesses */
	uint64_t accesses; /* of all groups */
};

void bias_find(struct bias *self, const struct learned *learned);
void bias_release(struct bias *self);
bool bias_leaves_out(const struct bias *self, uint32_t place);

#endif
