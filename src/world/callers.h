/*
 * callers.h: the call chain of an announced event, for detailed runs and for watches: the return addresses that the
 * frame pointers lead to. Only the unwind information says whether a function has a frame pointer at all, so the
 * reader has to check that. Each sequence has a number and is in the log of a detailed run once.
 */
#ifndef WORLD_CALLERS_H
#define WORLD_CALLERS_H

#include <stdint.h>

/* The number of the calls that lead to here, the innermost outside of the runtime first; 0 when there are none, or too many. In a
 * detailed run the log has them when this returns. */
uint32_t callers_here(void);

/* In a run that is not detailed: the addresses of a number. Returns how many. */
uint32_t callers_of(uint32_t number, const uint64_t **addresses);

#endif
