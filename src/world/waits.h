/*
 * waits.h: ends waits that no thread of the program ends: virtual time passes, the outside answers, or the run is a
 * deadlock.
 *
 * Invariants:
 *  1. Every change of the set of runnable threads that is not caused by a thread, but by time or by the outside, is in
 *     the log, with the number of its event. A replay takes these changes from there (replay.h) and never looks at
 *     clocks or descriptors.
 */
#ifndef WORLD_WAITS_H
#define WORLD_WAITS_H

#include "world/kernel/clock.h"
#include "world/world.h"

/* Wakes the threads whose deadlines have passed, in the order of the deadlines, then of the threads' creation. */
void waits_expire_passed(void);

static inline void waits_expire(void)
{
	if (clock_now() >= world.next_deadline_ns)
		waits_expire_passed();
}

/* Call it when no thread can run (is_stuck), or when the runnable threads only spin. Virtual time jumps to the next
 * deadline, or the world waits for the outside in real time. Ends the run when no wait can ever end. */
void waits_pass_time(bool is_stuck);

/* Lets time pass while threads run, in the fair tail, but not beyond the last deadline. */
void waits_pass_fair_time(void);

/* Lets the thread's wait end early: see schedule/early.h. self: the running thread; null when it cannot continue. */
void waits_end_early(const struct thread *self, const struct thread *thread);

/* Reports, in the channel and in a detailed log, that the thread's wait ends early; in a recorded run and in its
 * replay. */
void waits_report_early(const struct thread *self, const struct thread *thread);

#endif
