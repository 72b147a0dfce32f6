/*
 * lock_cycle.h: cycles of lock orders that schedules are steered towards, to see whether they deadlock. The code that
 * examines schedules adds cycles and marks those that were shown; planner_locks.c plans and counts. Not for use by two
 * threads.
 */
#ifndef EXPLORE_LOCK_CYCLE_H
#define EXPLORE_LOCK_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/abi.h"

/* What users see as one cycle may have several forms: the same places but different locks. This many are kept. */
#define LOCK_CYCLE_FORMS 4u

struct lock_cycle {
	struct heddle_lock_pair pairs[LOCK_CYCLE_FORMS][HEDDLE_LOCK_PAIRS];
	uint32_t pair_counts[LOCK_CYCLE_FORMS];
	uint32_t form_count;
	bool has_readers;        /* one of its locks is held for reading */
	bool is_shown;           /* a schedule deadlocked there: no further tries */
	uint32_t planned, tried; /* schedules that were planned for it; and of these, that ended */
};

/* Start with { 0 }. Cycles stay where they are until the release. */
struct lock_cycles {
	struct lock_cycle **items;
	size_t count;
};

struct lock_cycle *lock_cycles_add(struct lock_cycles *self);
void lock_cycles_release(struct lock_cycles *self);

/* Adds a form, unless it is there or there is no room. At most HEDDLE_LOCK_PAIRS pairs. */
void lock_cycle_add(struct lock_cycle *self, const struct heddle_lock_pair *pairs, uint32_t count);

#endif
