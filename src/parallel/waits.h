/*
 * waits.h: which threads wait for a lock of which other thread, for modes that hold threads up: a thread that is held must not keep a
 * lock from others for that. Mutexes, those of C11, and read-write locks that a writer
 * holds (who reads is not in the lock); not the mutex that pthread_cond_wait takes again. A free lock costs one attempt to take it, and nothing shared is written.
 *
 * Invariants:
 *  1. A thread is listed only while it is inside the real function that waits.
 *     Assured by tests/cli/guard-runtime.t.
 *  2. Whoever asks may be told of a wait that has just ended, and may miss one that has just begun: nothing is decided by it but
 *     how long a thread is held.
 *     Assured by tests/cli/guard-runtime.t.
 */
#ifndef PARALLEL_WAITS_H
#define PARALLEL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the slot of an interposed function holds; null for functions that do not wait for a lock. */
void *waits_slot(size_t index);

/* Whether a thread waits for a lock that the thread with this id owns. */
bool waits_is_awaited(uint32_t tid);

#endif
