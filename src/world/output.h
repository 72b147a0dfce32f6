/*
 * output.h: what the program writes to its standard output and error. A replay writes it again, and a run says what it
 * was by a hash.
 */
#ifndef WORLD_OUTPUT_H
#define WORLD_OUTPUT_H

#include "world/world.h"

/* After a call that wrote: if it was to the standard streams, into the hash and, in a replay, out again. */
void output_note(long number, const uint64_t arguments[6], long result);

/* Whether output goes nowhere, and this is output: then *result is what the call returns. */
bool output_is_discarded(long number, const uint64_t arguments[6], long *result);

#endif
