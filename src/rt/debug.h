/*
 * debug.h: what a debugger finds in the runtime: one function to set a breakpoint on, and one structure that holds the
 * reason for the stop, the debugger's requests, and where things are. share/heddle/gdb.py is the debugger's side.
 *
 * Invariants:
 *  1. Nothing here changes what a run does. The runtime calls heddle_debug_stop with and without a debugger; what the
 *     debugger sets only adds further calls.
 *     Assured by tests/cli/gdb.t.
 *  2. Both sides are of the same build: HEDDLE_DEBUG_VERSION is raised when anything here changes its meaning.
 *     Assured by tests/cli/gdb.t.
 */
#ifndef RT_DEBUG_H
#define RT_DEBUG_H

#include <stdint.h>

#define HEDDLE_DEBUG_VERSION 3u

enum heddle_debug_reason {
	HEDDLE_DEBUG_NONE = 0,
	HEDDLE_DEBUG_CODE = 1,      /* code is about to be read and changed: breakpoints must not be in it ... */
	HEDDLE_DEBUG_CODE_DONE = 2, /* ... until here */
	HEDDLE_DEBUG_EVENT = 3,     /* before the operation of event stop_at */
	HEDDLE_DEBUG_FAULT = 4,     /* an instruction faulted and the fault is fatal: it is about to fault again */
	HEDDLE_DEBUG_END = 5,       /* the run ends: the report is complete, and nothing has been released */
	HEDDLE_DEBUG_FOUND = 6,     /* detection has found something, just before the access or free that it is about */
};

/* The place of a field in its structure, or of a structure. */
struct heddle_debug_place {
	char name[24];
	uint64_t value;
};

struct heddle_debug {
	uint32_t version;
	uint32_t is_watched; /* set by the debugger: it wants HEDDLE_DEBUG_FAULT */
	uint32_t reason;     /* enum heddle_debug_reason */
	uint32_t place_count;
	uint64_t stop_at; /* set by the debugger: an event, or 0 */
	const struct heddle_debug_place *places;
	const void *world;
};

extern struct heddle_debug heddle_debug __attribute__((visibility("default")));

/* Does nothing: the breakpoint is here. */
void heddle_debug_stop(void) __attribute__((visibility("default")));

static inline void debug_stop(enum heddle_debug_reason reason)
{
	heddle_debug.reason = reason;
	heddle_debug_stop();
}

#endif
