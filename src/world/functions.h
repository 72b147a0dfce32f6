/*
 * functions.h: for the functions in the list of rt/enter/interpose.h that are no operations (rt/enter/operation.h),
 * control_NAME is called in place of NAME: the malloc family, the operators of C++, and the start of main.
 *
 * Invariants:
 *  1. A block of memory is always returned to the allocator that it came from: all calls of the malloc family go to
 *     control_malloc and its siblings from the first call on, whatever happens to the mode later; or, when the program
 *     has an allocator of its own, all of them go where they would go without Heddle.
 *     Assured by tests/cli/allocators.t.
 */
#ifndef WORLD_FUNCTIONS_H
#define WORLD_FUNCTIONS_H

#include "rt/enter/interpose.h"

#define FUNCTIONS_PROTOTYPE(name) extern __typeof__(name) control_##name;
INTERPOSE_MEMORY(FUNCTIONS_PROTOTYPE) INTERPOSE_OPERATORS(FUNCTIONS_PROTOTYPE) FUNCTIONS_PROTOTYPE(__libc_start_main)
#undef FUNCTIONS_PROTOTYPE

#endif
