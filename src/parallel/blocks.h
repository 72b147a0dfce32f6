/*
 * blocks.h: calls that free or unmap memory. Modes that keep facts about memory in tables indexed by address need them:
 * the facts about a block must not be taken for facts about the next block at the same address.
 */
#ifndef PARALLEL_BLOCKS_H
#define PARALLEL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* For the member slot of struct mode. Returns the function to put into the slot of the interposed function with this
 * index: it calls `blocks_forget` and then the real function. Returns null if the function frees no memory, or if the
 * size of the memory that it frees cannot be determined. */
void *blocks_slot(size_t index);

/* Set by the mode before the first slot is filled. Called when memory is freed or unmapped, before it can be allocated
 * again; several threads may call it at the same time. */
extern void (*blocks_forget)(uintptr_t start, size_t size_bytes);

#endif
