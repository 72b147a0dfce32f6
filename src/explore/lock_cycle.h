/*
 * lock_cycle.h: cycles of lock orders that schedules are steered towards, to see whether they deadlock. The code that
 * examines schedules adds cycles and marks those that a schedule showed; planner_locks.c plans and counts. Not for
 * concurrent use.
 */
#ifndef EXPLORE_LOCK_CYCLE_H
#define EXPLORE_LOCK_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/abi.h"

/* A cycle as users see it may have several forms: with the same places but different locks. At most this many are
 * kept. */
#define LOCK_CYCLE_FORMS 4u

struct lock_cycle {
	struct heddle_lock_pair pairs[LOCK_CYCLE_FORMS][HEDDLE_LOCK_PAIRS];
	uint32_t pair_counts[LOCK_CYCLE_FORMS];
	uint32_t form_count;
	bool has_readers;        /* one of its locks is held for reading */
	bool is_shown;           /* a schedule deadlocked there: no further tries */
	uint32_t planned, tried; /* schedules that were planned for it, and those of them that have ended */
};

/* Start with { 0 }. Cycles stay where they are until the release. */
struct lock_cycles {
	struct lock_cycle **items;
	size_t count;
};

struct lock_cycle *lock_cycles_add(struct lock_cycles *self);
void lock_cycles_release(struct lock_cycles *self);

/* Adds a form of at most HEDDLE_LOCK_PAIRS pairs, unless the cycle already has it or there is no room. */
void lock_cycle_add(struct lock_cycle *self, const struct heddle_lock_pair *pairs, uint32_t count);

#endif
