/*
 * lock_graph.h: orders in which threads take locks, and cycles among them: threads that could wait for each other. The
 * algorithm is that of Havelund ("Using runtime analysis to guide model checking of Java programs", SPIN 2000) and
 * Agarwal, Wang and Stoller ("Detecting potential deadlocks with static analysis and run-time monitoring", PVDM 2005,
 * section 2): a cycle counts only if its edges are of different threads, no lock guards two of them (a gate), and none
 * is before another in every schedule. A thread that takes a lock for reading does not wait for one that holds it for
 * reading.
 *
 * Pure: no input or output, no globals. Not for use by two threads.
 */
#ifndef MODEL_LOCK_GRAPH_H
#define MODEL_LOCK_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOCK_CYCLE_MAX 6u /* longer ones are not looked for */

/* What a slot did up to and at this clock: see detect/order.h. */
struct lock_before {
	uint32_t slot, clock;
};

/* A thread took the lock `to` while it held the lock `from`. The caller owns the arrays, which must stay. */
struct lock_edge {
	uint32_t thread;
	uint64_t from, to;
	bool is_from_shared, is_to_shared;
	const uint64_t *others; /* other locks that it held */
	size_t other_count;
	struct lock_before when;
	const struct lock_before *before; /* what is before this in every schedule; one entry a slot */
	size_t before_count;
};

/* Calls found for each cycle, once: indices of its edges, in the order of the cycle, the one of the least thread first. It
 * returns false to end the search. At most step_limit edges are tried in all; returns false when that was too few. */
bool lock_graph_cycles(const struct lock_edge *edges, size_t count, uint64_t step_limit,
		       bool (*found)(void *context, const size_t *cycle, size_t size), void *context);

#endif
