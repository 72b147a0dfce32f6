/*
 * visits.h: the list of accesses with their threads and locks, the orders in which locks are taken, and the calls that free blocks.
 * Input: struct flow_visits_input. Result: struct flow_visits, which flow.h shows to others.
 */
#ifndef ANALYSIS_FLOW_VISITS_H
#define ANALYSIS_FLOW_VISITS_H

#include "analysis/flow/flow.h"
#include "analysis/flow/sets.h"

struct flow_alive;
struct flow_lock_sets;
struct flow_program;
struct flow_threads;
struct flow_walk;

struct flow_visits_input {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_alive *alive;
	struct flow_lock_sets *lock_sets;
	struct flow_walk *walk;
};

struct flow_visits {
	struct flow_visits_input in;
	struct flow_interned root_sets;
	struct flow_interned seen_locks; /* set of locks and path of the access -> the same number of seen_sets */
	struct flow_ids seen_sets;
	struct flow_interned row_sets; /* sets of indexes of lock_rows */
	struct flow_interned row_keys; /* struct flow_lock without its words; the same number in lock_rows */
	struct flow_lock *lock_rows;   /* every lock as a visit may have it */
	uint32_t lock_row_count, lock_row_room;
	struct flow_lock *set_rows; /* the rows of each of row_sets, one set after the other */
	uint32_t *set_first;
	struct flow_visit *rows;
	uint32_t count, room;
	uint32_t *first; /* of each access, and one more */
	struct flow_order *orders;
	uint32_t order_count, order_room;
	struct flow_interned order_keys;
	struct flow_interned free_keys; /* struct flow_free; the same number in frees */
	struct flow_free *frees;
	uint32_t free_room;
};

void flow_visits_make(const struct flow_visits_input *in, struct flow_visits *visits);
void flow_visits_release(struct flow_visits *visits);

#endif
