/*
 * functions.h: control_NAME is called in place of NAME, for those functions of the list in rt/enter/interpose.h that are no operations
 * (rt/enter/operation.h): the malloc family, the operators of C++, and the start of main.
 *
 * Invariants:
 *  1. A block of memory is always given back to the allocator that it is from: those of the malloc family go to
 *     control_malloc from the first call on, whatever becomes of the mode later; or all of them go where they would without
 *     us, when the program has an allocator of its own.
 *     Assured by tests/cli/allocators.t.
 */
#ifndef WORLD_FUNCTIONS_H
#define WORLD_FUNCTIONS_H

#include "rt/enter/interpose.h"

#define FUNCTIONS_PROTOTYPE(name) extern __typeof__(name) control_##name;
INTERPOSE_MEMORY(FUNCTIONS_PROTOTYPE) INTERPOSE_OPERATORS(FUNCTIONS_PROTOTYPE) FUNCTIONS_PROTOTYPE(__libc_start_main)
#undef FUNCTIONS_PROTOTYPE

#endif
