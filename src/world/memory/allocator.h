/*
 * allocator.h: an allocator of the program's own, which takes the place of libc's: a library that the program is linked
 * with or that the user preloads (jemalloc, tcmalloc, mimalloc), or functions of the program itself. It is never
 * replaced in part: either the whole malloc family is world/memory/malloc.h, or all of it is the same as without
 * Heddle. The behaviour of such an allocator depends on the run alone, because its system calls do.
 *
 * Detection learns about the blocks only where the functions are called by name through libheddle.so: in libraries, not
 * in the program itself, whose own functions come first. Memory errors in these blocks are not detected.
 */
#ifndef WORLD_MEMORY_ALLOCATOR_H
#define WORLD_MEMORY_ALLOCATOR_H

#include <stdbool.h>

/* Whether the program has its own allocator. The first call decides this, when the dynamic linker has loaded the
 * program's libraries; later calls return the same. May be called at any time, and allocates nothing. */
bool allocator_is_own(void);

/* Adds a note to the report if the program has its own allocator. Call it when the channel exists. */
void allocator_report(void);

/* Returns the replacement for the function of the malloc family with this index (enum interpose_index) if the program
 * has its own allocator. */
void *allocator_function(int index);

#endif
