/*
 * orders.h: orders in which locks are taken that could end in a deadlock: cycles over what flow.h knows of lock taken while
 * lock is held. The edges of a cycle belong to threads that may be alive together; a lock that two of them hold for
 * certain (a gate) rules the cycle out; and a reader of a lock does not wait for other readers (model/lock_graph.h has
 * the search).
 *
 * A cycle is certain of its locks when each of them is one lock of the running program. Where one stands for several (a
 * lock in each element of an array, in each block of the heap), it is not known whether the threads mean the same ones; such a
 * cycle is reported, and ranks lower.
 */
#ifndef ANALYSIS_RACES_ORDERS_H
#define ANALYSIS_RACES_ORDERS_H

#include "analysis/flow/flow.h"
#include "model/lock_graph.h"

/* One cycle of locks. */
struct orders_cycle {
	uint32_t edges[LOCK_CYCLE_MAX]; /* in the orders of flow, in the order of the cycle */
	uint32_t edge_count;            /* 1: two locks of one kind, taken in no certain order */
	uint32_t variants;              /* how many ways there are to close it with other edges of the same locks */
	bool is_certain;                /* of its locks */
};

struct orders {
	struct orders_cycle *cycles; /* those that are certain first */
	uint32_t cycle_count;
	bool is_cut; /* the search was ended before it was over */
};

struct orders *orders_find(const struct flow *flow);
void orders_free(struct orders *orders);

#endif
