/*
 * progress.h: tells which of the announced accesses the threads of mode train have made. A thread announces an access
 * before it makes it, and may be preempted in between for any time. The access is known to be made when the thread
 * announces another one, calls an interposed function, sleeps in a system call, or has ended.
 *
 * Invariants:
 *  1. When progress_is_made returns true, the access was made before the call, unless a signal handler of the thread
 *     ran between the announcement and the access, or another thread has the same number modulo PROGRESS_THREADS.
 *     Assured by tests/unit/recorder.t.
 *  2. A forked child begins with no announcements: everything that its parent's threads announced counts as made.
 *     Assured by tests/unit/recorder.t.
 */
#ifndef PARALLEL_PROGRESS_H
#define PARALLEL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_THREADS (1u << 18)

/* Makes the table of this process. Returns 0 or a negative errno. */
int progress_start(void);

/* The calling thread has this number from now on, and other threads may ask the kernel about it. If a thread does not
 * call this, its announcements alone show its progress. */
void progress_begin_thread(uint32_t thread);

/* Called by the thread itself when it is about to announce an access or to do anything else: the accesses that it
 * announced so far were made. */
void progress_next(uint32_t thread);

/* The number of the thread's current announcement, for progress_is_made. */
uint64_t progress_of(uint32_t thread);

/* The cells of a thread's last access whose histories wait for the access to be made (history.h): bit N of lanes is set
 * if the cell N * step bytes after the address waits. Written by the thread itself, and when the process ends. */
struct progress_waiting {
	uintptr_t address;
	uint64_t lanes;
	uint32_t step, site;
};
struct progress_waiting *progress_waiting(uint32_t thread);

/* Whether another thread has made the access that it announced at `when` (progress_of). self: the thread that asks.
 * False: it has not, or that is not known. If its announcements do not show it, this asks the kernel, but not in every
 * call, because that takes microseconds. */
bool progress_is_made(uint32_t self, uint32_t thread, uint64_t when);

#endif
