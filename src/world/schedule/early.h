/*
 * early.h: sleeps and time-outs that end early. In virtual time a sleep ends when no other thread can run, so by
 * itself it would order threads: a sleeping thread comes after all others. But in a real system the others may be
 * kept from running for any length of time, so time may also pass while they could run. A wait that ends early is a
 * jump of virtual time to its deadline while other threads can run.
 *
 * Invariants:
 *  1. Clocks agree. Time jumps for all threads, and each wait whose deadline has then passed ends, in the order of
 *     the deadlines. A wait never ends before its deadline by any clock that the program can read.
 *  2. Which waits end early, and at which event, follows from the seed, or from the steps of a steered schedule; there
 *     are few of them in a run, so a loop that waits a number of times for another thread does not run out of turns.
 *     Assured by tests/cli/timing.t.
 *  3. None ends early in a fair tail, or before main.
 *  4. No jump passes the deadline of a time-out that is long or that the outside may end, or of a timer: a watchdog
 *     goes off when no thread can run, as in strict time. Long sleeps end early with HEDDLE_CONTROL_LATE only.
 */
#ifndef WORLD_SCHEDULE_EARLY_H
#define WORLD_SCHEDULE_EARLY_H

#include "world/world.h"

/* The strategy begins. */
void early_start(void);

/* The thread blocks until a deadline. */
void early_block(struct thread *self);

/* The thread whose wait ends now although others can run; null: there is none. self: the running thread; null if it
 * cannot continue. */
struct thread *early_due(struct thread *self);

/* The event at which to call early_due again. */
uint64_t early_next(void);

/* Whether steps determine which waits end early. Then the strategy's slices apply also when only one thread can run. */
bool early_is_steered(void);

/* Whether the thread waits for nothing but time. */
bool early_is_sleep(const struct thread *thread);

#endif
