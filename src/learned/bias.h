/*
 * bias.h: groups of places. Two places are in one group if a training saw both at one cell of memory, or if both are in
 * one group with a third place. In programs that mainly compute, a few groups make most of the accesses. These groups
 * cost most of the time of a guard, and testing has covered them best (Zhang and others, IEEE TSE 2016, section 3.4.1).
 * Leaving out a group does not change the sets of the others.
 *
 * Invariants:
 *  1. No history contains places of different groups.
 *     Assured by tests/cli/bias.t.
 */
#ifndef LEARNED_BIAS_H
#define LEARNED_BIAS_H

#include "learned/data.h"

/* A group is left out if it makes more than this percentage of all accesses to memory that several threads use. */
#define BIAS_PERCENT 30u

struct bias_group {
	uint32_t place_count;
	uint32_t top; /* number of its place with the most accesses */
	uint64_t accesses;
	bool is_left_out;
};

/* Start with { 0 }. */
struct bias {
	struct bias_group *groups; /* most accesses first */
	size_t group_count;
	/* Indexed by the number of a place, from 1: the number of its group, from 1; 0: no two threads access the same
	 * memory there. */
	uint32_t *group_of;
	uint64_t accesses; /* of all groups */
};

/* Finds the groups of the training data. Release self afterwards. */
void bias_find(struct bias *self, const struct learned *learned);
void bias_release(struct bias *self);

/* Whether the group of the place with this number is left out. */
bool bias_leaves_out(const struct bias *self, uint32_t place);

#endif
