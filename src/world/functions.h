/*
 * functions.h: control_NAME is called in place of NAME, for the functions of the list in rt/enter/interpose.h that the world does
 * itself.
 *
 * Invariants:
 *  1. A block of memory is always given back to the allocator that it is from: those of the malloc family go to
 *     control_malloc from the first call on, whatever becomes of the mode later; or all of them go where they would without
 *     us, when the program has an allocator of its own.
 *     Assured by tests/cli/allocators.t.
 *  2. What a control function does after calling the real function is lost when a thread is cancelled or an exception is
 *     thrown inside it; so there is nothing there that must be done.
 *     Assured by tests/control/run.t.
 */
#ifndef WORLD_FUNCTIONS_H
#define WORLD_FUNCTIONS_H

#include "rt/enter/interpose.h"

#define FUNCTIONS_PROTOTYPE(name) extern __typeof__(name) control_##name;
INTERPOSE_ALL(FUNCTIONS_PROTOTYPE)
#undef FUNCTIONS_PROTOTYPE

#endif
