/*
 * patch_orders.h: the orders of accesses that a failing schedule has, as candidates for a patch: an access that came right after an access of
 * another thread to the same cell, or after none. The orders that occurred because a thread was preempted between two accesses come first.
 *
 * Invariants:
 *  1. An access counts when it is made, and not when it was announced: a thread that is preempted there makes it when it runs again.
 *     Assured by tests/cli/patch.t.
 */
#ifndef CAMPAIGN_PATCH_ORDERS_H
#define CAMPAIGN_PATCH_ORDERS_H

#include "base/err.h"
#include "learned/data.h"
#include "trace/steps.h"
#include "trace/trace.h"

/* Places of all builds, numbered from 1: those of the first build, then of the second, ... */
struct patch_places {
	struct learned_builds builds;
	uint32_t *starts; /* by build: the number before that of its first place; [builds.count] is that of all */
};

void patch_places_release(struct patch_places *self);
const struct learned_place *patch_place(const struct patch_places *self, uint32_t number);

/* One access may not come right after another one, of another thread; BELONGING_NIL: after none. */
struct patch_order {
	uint32_t place, previous;
	uint32_t weight;
	uint64_t at; /* when it was seen last: number of the access */
};

/* What one schedule shows. Start with { 0 }. */
struct patch_orders {
	struct patch_order *items; /* the most promising first */
	size_t count;
	uint32_t *together;    /* pairs of places that were seen at one cell: two numbers each */
	size_t together_count; /* of numbers */
	uint32_t *turns;       /* places at which threads were preempted */
	size_t turn_count;
	struct steps steps; /* of the schedule */
	uint64_t seed;
	uint64_t access_count;
};

void patch_orders_release(struct patch_orders *self);

/* Replays the trace. places is filled in by the first call. Returns 0, or a negative errno with err set. */
int patch_orders_find(struct patch_orders *self, struct patch_places *places, const struct trace *recorded,
		      struct err *err);

#endif
