/*
 * history.h: for each cell of memory (heddle/guard.h) the sites and threads that accessed it, the latest first; and from them, for each
 * access, the history that the tool learns from. For mode train: correct and complete rather than fast.
 *
 * Invariants:
 *  1. An access gives its history and becomes part of the cell under one lock. The access itself follows its announcement, so two that come
 *     together may be made in either order. A history is given only if its first site is the predecessor in all orders that are
 *     possible (progress.h), and only when the access is known to be made, with nothing announced at the cell in between that could have come
 *     before it; further back, sites are in the order of their announcements.
 *     Assured by tests/unit/recorder.t.
 *  2. What there was no room for is never "nothing": a cell that gave way, or a list that was cut, ends its histories with
 *     HEDDLE_HISTORY_UNKNOWN.
 *     Assured by tests/unit/recorder.t.
 *  3. A thread in a signal handler that interrupted this code in the same thread does nothing, so that no lock is taken twice.
 *     Assured by tests/cli/guard-runtime.t.
 */
#ifndef PARALLEL_HISTORY_H
#define PARALLEL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/guard.h"

/* The table of this process; file: where histories go. Returns 0 or a negative errno. */
int history_start(struct heddle_train *file);

/* The thread announced an access to the cell of the address, by progress_next. site: its number, from 1; thread: a number that no other one has or had.
 * Returns whether a history waits until it is made. */
bool history_access(uintptr_t address, uint32_t site, uint32_t thread);

/* That access was made. */
void history_made(uintptr_t address, uint32_t site, uint32_t thread);

/* The memory ends: whatever comes to it next finds no other access before it. thread: which ends it; 0: none. */
void history_forget(uintptr_t start, size_t size_bytes, uint32_t thread);

#endif
