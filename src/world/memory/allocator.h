/*
 * allocator.h: an allocator of the program's own, which takes the place of libc's: a library that the program is linked with
 * or that the user preloads (jemalloc, tcmalloc, mimalloc), or functions of the program itself. It stays in its place as a
 * whole: either all of the malloc family is world/memory/malloc.h, or all of it is what it would be without us. What such an
 * allocator does depends on the run alone, as its system calls do.
 *
 * Detection learns of the blocks where the functions are called by name through libheddle.so: in libraries, not in
 * the program itself, whose own functions come first. Memory errors in these blocks are not looked for.
 */
#ifndef WORLD_MEMORY_ALLOCATOR_H
#define WORLD_MEMORY_ALLOCATOR_H

#include <stdbool.h>

/* Whether there is one: decided by the first call, when the dynamic linker has loaded what the program needs, and kept. Needs
 * nothing, allocates nothing. */
bool allocator_is_own(void);

/* Notes in the report that there is one, if there is. Call it once the channel exists. */
void allocator_report(void);

/* What stands in for the function of the malloc family with this index (enum interpose_index) when there is one. */
void *allocator_function(int index);

#endif
