/*
 * guardian.h: what a world knows of guarding. The guardian is src/parallel, which checks accesses of threads that run in parallel; the world is
 * src/world, which runs one thread at a time, and asks the same recorder about the same sites, so that a guarded program can be tested under
 * control. Neither includes the other. Only rt/register.c knows which guardian exists: it offers it before the mode starts.
 */
#ifndef RT_GUARDIAN_H
#define RT_GUARDIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/guard.h"

struct object;

struct guardian {
	/* Reads the files of the options guard= and guard-log=. Returns 0 or a negative errno. */
	int (*start)(void);
	/* A woven object was loaded, under the lock of registration. Returns 0 or -1: there is no room. */
	int (*attach)(const struct object *object);
	/* What is guarded of a site; null: nothing is. */
	const struct heddle_guard_site *(*find)(const struct heddle_site *site);
	/* The thread is about to access the cell of the address. is_forced: in any case. Returns HEDDLE_GUARD_UNKNOWN when the access was recorded, else
	 * the predecessor that is not allowed: then nothing was. */
	uint32_t (*access)(uintptr_t address, const struct heddle_guard_site *guarded, uint32_t thread, bool is_forced);
	void (*forget)(uintptr_t start, size_t size_bytes);
	/* Counts a violation in the log. */
	void (*note)(const struct heddle_guard_site *guarded, uint32_t previous, enum heddle_violation_end end,
		     uint64_t stalled_us);
	const struct heddle_guard *(*settings)(void);
};

extern const struct guardian *guardian; /* null: no guardian was started */

/* The one that exists. For rt/register.c alone. */
extern const struct guardian guardian_parallel;
void guardian_offer(const struct guardian *offered);

/* Starts it if the options ask for it. Returns 0 or a negative errno. */
int guardian_start(void);

static inline void guardian_forget(const volatile void *start, size_t size_bytes)
{
	if (guardian)
		guardian->forget((uintptr_t)start, size_bytes);
}

#endif
