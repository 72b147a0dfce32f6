/*
 * waits.h: whether any thread waits for a lock that a given thread holds, for modes that stall threads: a stalled
 * thread must not make others wait for its locks. Covers mutexes, those of C11 too, and read-write locks held by a
 * writer (such a lock does not say who reads); does not cover the mutex that pthread_cond_wait takes again. Taking a
 * free lock costs one attempt to take it, and writes nothing shared.
 *
 * Invariants:
 *  1. A waiting thread is listed only while it is inside the real function that waits.
 *     Assured by tests/cli/guard-runtime.t.
 *  2. An answer may include a wait that has just ended, and may miss a wait that has just begun. It decides nothing but
 *     how long a thread is stalled.
 *     Assured by tests/cli/guard-runtime.t.
 */
#ifndef PARALLEL_WAITS_H
#define PARALLEL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the member slot of struct mode. Returns the function to put into the slot of the interposed function with this
 * index, or null if that function does not wait for a lock. */
void *waits_slot(size_t index);

/* Whether any thread waits for a lock that the thread with this id owns. Any thread may call it at any time. */
bool waits_is_awaited(uint32_t tid);

#endif
