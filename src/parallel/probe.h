/*
 * probe.h: chosen sites of an object in programs whose threads run in parallel. Each call of a chosen site leads to a shortcut made
 * for it (as in world/shortcut.h), every other call in the functions that are switched becomes an instruction that does nothing. Functions
 * without a chosen site stay as they are.
 *
 * Invariants:
 *  1. Calls are redirected before any function of the object is switched, so no thread runs what is changed.
 *  2. A probe changes r10, r11 and the flags, and nothing else.
 *     Assured by tests/cases/run.t.
 */
#ifndef PARALLEL_PROBE_H
#define PARALLEL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/object.h"
#include "rt/shortcut.h"

/* The registers that functions keep, as they are at the call of the probe, for unwinding. */
struct probe_frame {
	uint64_t r15, r14, r13, r12, rbx, rbp;
};

/* What a mode does about chosen sites. */
struct probe_mode {
	/* The number of a site; 0: it is not chosen. Only while an object is attached. */
	uint32_t (*number)(const struct object *object, const struct heddle_site *site);
};

/* Called for each access of a chosen site; true: probe_stop is to be called, too. Defined by the mode of the process. */
extern bool (*probe_hit)(uintptr_t address, const struct shortcut *shortcut);
/* Then: with the registers. rsp: at the call; *rsp is where the call returns to. */
extern void (*probe_stop)(uintptr_t address, const struct shortcut *shortcut, const struct probe_frame *frame,
			  const uint64_t *rsp);

/* Redirects the calls of the functions for which `is_switched` is true. Returns how many lead to probes, or a negative errno. */
long probe_attach(const struct object *object, const struct probe_mode *mode,
		  bool (*is_switched)(const struct object *object, const struct heddle_function *function));

#endif
