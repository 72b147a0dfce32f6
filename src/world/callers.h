/*
 * callers.h: the call chain of an announced event, for detailed runs and for watches: the return addresses that are
 * found by following frame pointers. Only the unwind information says whether a function has a frame pointer at all, so
 * the reader must check that. Each different chain has a number, and the log of a detailed run contains it once.
 */
#ifndef WORLD_CALLERS_H
#define WORLD_CALLERS_H

#include <stdint.h>

/* Returns the number of the current thread's call chain, which begins with the innermost call outside of the runtime; 0
 * if there is none, or if there are too many chains. In a detailed run the log contains the chain when this returns. */
uint32_t callers_here(void);

/* In a run that is not detailed: sets *addresses to the chain with this number, and returns its length. */
uint32_t callers_of(uint32_t number, const uint64_t **addresses);

#endif
