/*
 * progress.h: how far the threads of mode train got with what they announced. A thread announces an access before it makes it, and may be
 * preempted in between for any time. That it made it is known when it announces another one, calls an interposed function, sleeps in a system call,
 * or has ended.
 *
 * Invariants:
 *  1. What is said to be made was made before progress_is_made was called, unless a signal handler of the thread came between the announcement and
 *     the access, or another thread has the same number modulo PROGRESS_THREADS.
 *     Assured by tests/unit/recorder.t.
 *  2. A forked child begins with no announcements: all that its parent's threads announced counts as made.
 *     Assured by tests/unit/recorder.t.
 */
#ifndef PARALLEL_PROGRESS_H
#define PARALLEL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_THREADS (1u << 18)

/* Returns 0 or a negative errno. */
int progress_start(void);

/* The calling thread has this number from now on, and may be looked at. Without it a thread is known by its announcements alone. */
void progress_begin_thread(uint32_t thread);

/* The thread is about to do the next thing: what it announced so far was made. */
void progress_next(uint32_t thread);

/* What it announces now. */
uint64_t progress_of(uint32_t thread);

/* The cells of its last access whose histories wait for it to be made (history.h): the first is at the address, the others step bytes apart each, and
 * lanes has a bit for each that waits. Written by the thread itself, and when the process ends. */
struct progress_waiting {
	uintptr_t address;
	uint64_t lanes;
	uint32_t step, site;
};
struct progress_waiting *progress_waiting(uint32_t thread);

/* Whether another thread than self, which asks, has made what it announced then. Looks at that thread where it is not known, but not always: that
 * takes microseconds. */
bool progress_is_made(uint32_t self, uint32_t thread, uint64_t when);

#endif
