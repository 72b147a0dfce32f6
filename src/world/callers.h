/*
 * callers.h: who called whom where an event is announced, for detailed runs: the return addresses that the frame pointers lead to.
 * Whether a function has a frame pointer at all only its unwind information says, so the reader has to check that. Each sequence is written
 * to the log once and has a number from then on.
 */
#ifndef WORLD_CALLERS_H
#define WORLD_CALLERS_H

#include <stdint.h>

/* The number of the calls that lead to here, the innermost outside of the runtime first; 0 when there are none, or too many. The log has
 * them when this returns. */
uint32_t callers_here(void);

#endif
