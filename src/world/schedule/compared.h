/*
 * compared.h: the end of a run whose state is compared with that of the other order (ordered.c). After both accesses,
 * each of the two threads runs alone to the end of its sequencing region, which is the next synchronisation operation,
 * atomic access or system call; the first thread comes first in both orders. Then the report gets the state of the
 * program (world/memory/state.h), and the run is over. Narayanasamy and others (Automatically Classifying Benign and
 * Harmful Data Races Using Replay Analysis, PLDI 2007), sections 4.2 and 4.3.
 *
 * Invariants:
 *  1. Two runs of one order report the same.
 *     Assured by tests/cli/states.t.
 */
#ifndef WORLD_SCHEDULE_COMPARED_H
#define WORLD_SCHEDULE_COMPARED_H

#include "world/world.h"

/* Forgets an earlier run. */
void compared_start(void);

/* Call it when the hold begins. Keeps a copy of the memory, and notes events from here on. */
void compared_keep(void);

/* Notes the place and the memory of an event that a thread announces. self: null if the thread cannot continue. */
void compared_note(const struct thread *self);

/* Call it when the thread `second` has made the second access. is_first_made: the first access was made, too; otherwise
 * the thread `first` is right before it. */
void compared_begin(struct thread *first, struct thread *second, bool is_first_made);

/* Whether the event that the thread stands before is the end of its region. */
bool compared_is_at_end(const struct thread *thread);

/* compared_is_on: whether compared_begin was called. Then compared_pick returns the thread that runs next; it does not
 * return when both regions have ended, or one does not end. */
bool compared_is_on(void);
struct thread *compared_pick(struct thread *self);

/* Ends the run because the order is impossible. */
_Noreturn void compared_give_up(void);

#endif
