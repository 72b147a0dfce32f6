/*
 * patch_orders.h: the orders of accesses in a failing schedule, as candidates for a patch. An order is an access that
 * came right after an access of another thread to the same cell, or that was the first access to the cell. The orders
 * that occurred because a thread was preempted between two accesses come first.
 *
 * Invariants:
 *  1. An access counts when it is made, not when it is announced: a thread that is preempted in between makes the
 *     access when it runs again.
 *     Assured by tests/cli/patch.t.
 */
#ifndef CAMPAIGN_PATCH_ORDERS_H
#define CAMPAIGN_PATCH_ORDERS_H

#include "base/err.h"
#include "learned/data.h"
#include "trace/steps.h"
#include "trace/trace.h"

/* The places of all builds, numbered from 1: first those of the first build, then those of the second, and so on. */
struct patch_places {
	struct learned_builds builds;
	uint32_t *starts; /* by build: the number of places in the builds before it; [builds.count]: of all places */
};

void patch_places_release(struct patch_places *self);
/* Returns the place with this number. */
const struct learned_place *patch_place(const struct patch_places *self, uint32_t number);

/* An order to prevent: an access at `place` right after an access of another thread at `previous`; BELONGING_NIL: after
 * none. */
struct patch_order {
	uint32_t place, previous;
	uint32_t weight;
	uint64_t at; /* number of the access at which it was last seen */
};

/* The orders of one schedule. Start with { 0 }. */
struct patch_orders {
	struct patch_order *items; /* the most promising first */
	size_t count;
	uint32_t *together;    /* pairs of places that were seen at one cell: two numbers each */
	size_t together_count; /* numbers, not pairs */
	uint32_t *turns;       /* places at which threads were preempted */
	size_t turn_count;
	struct steps steps; /* of the schedule */
	uint64_t seed;
	uint64_t access_count;
};

void patch_orders_release(struct patch_orders *self);

/* Replays the trace to find its orders. The first call fills in places. Returns 0, or a negative errno with err set. */
int patch_orders_find(struct patch_orders *self, struct patch_places *places, const struct trace *recorded,
		      struct err *err);

#endif
