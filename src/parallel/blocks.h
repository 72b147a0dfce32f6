/*
 * blocks.h: calls that end the life of memory, for modes that keep something about it in tables by address: what was known
 * must not be mistaken for something about what comes to the same place later.
 */
#ifndef PARALLEL_BLOCKS_H
#define PARALLEL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* What the slot of an interposed function holds: a function that calls `blocks_forget` before the real one; null for functions
 * that end no memory, or memory whose size nobody knows. For struct mode's slot. */
void *blocks_slot(size_t index);

/* Of the mode: memory ends. Called before it may be given out again, in any thread. Set before the first slot is filled. */
extern void (*blocks_forget)(uintptr_t start, size_t size_bytes);

#endif
