/*
 * compared.h: the end of a run whose state is compared with that of the other order (ordered.c): after both accesses, each of the two
 * threads runs alone to the end of its sequencing region, the next synchronisation operation, atomic access or system call; the
 * first thread comes first in both orders. The report then has what became of the program (world/memory/state.h), and the
 * run is over. Narayanasamy and others (Automatically Classifying Benign and Harmful Data Races Using Replay Analysis,
 * PLDI 2007), sections 4.2 and 4.3.
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

/* The hold begins: the memory is kept as it is, and events are noted from here on. */
void compared_keep(void);

/* An event that a thread announces: what it visits and touches is noted. self: null if the thread cannot go on. */
void compared_note(const struct thread *self);

/* The second access is made, by second. is_first_made: and so is the first one; else first is right before it. */
void compared_begin(struct thread *first, struct thread *second, bool is_first_made);

/* Whether the event that the thread stands before is the end of its region. */
bool compared_is_at_end(const struct thread *thread);

/* From there on: the thread to run next. Does not return when both regions have ended, or one does not end. */
bool compared_is_on(void);
struct thread *compared_pick(struct thread *self);

/* The order cannot be had: the run is over. */
_Noreturn void compared_give_up(void);

#endif
