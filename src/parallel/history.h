/*
 * history.h: records, for each cell of memory (heddle/guard.h), the sites and threads that accessed it, the latest
 * first. From them it computes, for each access, the history that the tool learns from. It serves training, so it is
 * correct and complete rather than fast. Any thread may call any function at any time after history_start.
 *
 * Invariants:
 *  1. The history of an access is computed, and the access is added to its cell, under one lock. The access itself is
 *     made after its announcement, so two accesses that are announced at about the same time may be made in either
 *     order. A history is reported only if its first site is the predecessor in all possible orders (progress.h), and
 *     only when the access is known to be made and no access that could have come before it was announced at the cell
 *     in between. The sites after the first are in the order of their announcements.
 *     Assured by tests/unit/recorder.t.
 *  2. Lost entries are never taken for "no access": if a cell was displaced by another, or a list was cut, its
 *     histories end with HEDDLE_HISTORY_UNKNOWN.
 *     Assured by tests/unit/recorder.t.
 *  3. Calls from a signal handler that interrupted this code in the same thread do nothing, so that no lock is taken
 *     twice.
 *     Assured by tests/cli/guard-runtime.t.
 */
#ifndef PARALLEL_HISTORY_H
#define PARALLEL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/guard.h"

/* Makes the table of this process. Histories are written to file, which must stay mapped. Returns 0 or a negative
 * errno. */
int history_start(struct heddle_train *file);

/* Adds an access to the cell of the address. The caller has announced it by progress_next. site: the number of the
 * site, from 1. thread: a number that no other thread has or had. Returns whether a history waits for the access to be
 * made; then the caller must call history_made later. */
bool history_access(uintptr_t address, uint32_t site, uint32_t thread);

/* The access was made: its waiting history counts. */
void history_made(uintptr_t address, uint32_t site, uint32_t thread);

/* The memory is freed or unmapped: its cells are removed, so the next access to it has no predecessor. thread: the
 * thread that frees it; 0: not known. */
void history_forget(uintptr_t start, size_t size_bytes, uint32_t thread);

#endif
