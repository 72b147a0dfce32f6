/*
 * guarded.h: guarding in the controlled world: the checks and waits of mode guard (src/parallel/guard.c) in virtual
 * time, so that schedules show what a guard prevents. HEDDLE_OPTIONS guard=FILE:guard-log=FILE in mode control enables
 * it; otherwise none of this runs.
 *
 * Invariants:
 *  1. Nothing happens between a check and its access: a decision that is due at the access is made before the check.
 *     Assured by tests/cli/patch.t.
 *  2. A thread that waits here makes no events, so that the steps of a known schedule stay where they are.
 *     Assured by tests/cli/patch.t.
 *  3. A run does not depend on other runs, although all of them count in one log.
 *     Assured by tests/cli/patch.t.
 */
#ifndef WORLD_GUARDED_H
#define WORLD_GUARDED_H

#include "heddle/abi.h"
#include "rt/guardian.h"

/* Whether accesses at the site are checked or recorded. */
static inline bool guarded_has(const struct heddle_site *site)
{
	return guardian && site && guardian->find(site);
}

/* For entries: the first two are called before a plain access is counted as an event, the others for a quiet access,
 * which is no event. */
void guarded_read(const volatile void *address, const struct heddle_site *site);
void guarded_write(const volatile void *address, const struct heddle_site *site);
void guarded_quiet_read(const volatile void *address, const struct heddle_site *site);
void guarded_quiet_write(const volatile void *address, const struct heddle_site *site);

/* Called when the current thread is about to make an access that was announced: checks it, and waits if it would be a
 * violation. */
void guarded_make(const volatile void *address, size_t size_bytes, const struct heddle_site *site);

#endif
