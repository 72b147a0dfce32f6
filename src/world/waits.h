/*
 * waits.h: waits that no thread of the program ends: virtual time passes, the outside answers, or the run is a deadlock.
 *
 * Invariants:
 *  1. Every change of the set of runnable threads that does not follow from what threads do among themselves (time,
 *     the outside) is in the log, with the number of its event. A replay takes them from there (replay.h) and never
 *     looks at clocks or descriptors.
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

/* No thread can run (is_stuck), or those that can only spin: virtual time jumps to the next deadline, or the world waits for the
 * outside in real time. Ends the run when nothing can ever happen. */
void waits_pass_time(bool is_stuck);

/* In the fair tail, time passes while threads run, but not beyond the last deadline. */
void waits_pass_fair_time(void);

/* Lets the thread's wait end early: see schedule/early.h. self: the running thread; null when it cannot continue. */
void waits_end_early(const struct thread *self, const struct thread *thread);

/* Reports that it does, in the channel and in a detailed log; in a recorded run and in its replay. */
void waits_report_early(const struct thread *self, const struct thread *thread);

#endif
