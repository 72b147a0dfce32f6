/*
 * heap.h: the memory of malloc in the controlled world. The addresses that it returns depend only on the calls before:
 * not on the kernel, the process or the threads. A freed block waits in a queue before its
 * memory is used again, and keeps its contents meanwhile, so that a later access can be distinguished from a
 * valid one.
 *
 * Promises that checks of accesses rely on:
 *  1. The heap's own data are kept apart from the blocks: a program that writes outside of its blocks cannot corrupt
 *     them.
 *     Assured by tests/unit/heap.t.
 *  2. At least one byte after every block belongs to no block. So the bytes next to a block on either side are never
 *     part of another one.
 *     Assured by tests/unit/heap.t.
 *  3. The recorded size of a block is the requested one, without rounding.
 *     Assured by tests/unit/heap.t.
 *
 * Only one kernel thread calls these functions, so there are no locks. heap_allocate, heap_free and heap_resize may be
 * called by a signal handler that interrupted any of them: then blocks come from a small area of their own, and freed
 * blocks stay live. The others change nothing and may be called at any time.
 */
#ifndef WORLD_MEMORY_HEAP_H
#define WORLD_MEMORY_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/block.h"

/* No block is larger. */
#define HEAP_BLOCK_MAX (1ul << 39)

enum heap_fault {
	HEAP_OK,
	HEAP_DOUBLE_FREE, /* it was freed before, and its memory has not been used again since */
	HEAP_NOT_A_BLOCK, /* there never was a block */
	HEAP_INTERIOR,    /* inside a block or right after it, not at its start */
};

struct heap_totals {
	uint64_t calls;       /* that allocated or freed; the number of the last one */
	size_t live_bytes;    /* in blocks, including rounding */
	size_t waiting_bytes; /* freed, and not to be reused yet */
};

/* Maps the first memory. Returns 0 or a negative errno. Needed only to detect a failure early: the first allocation
 * does it, too. */
int heap_start(void);

/*
 * Freed blocks wait until more than size_bytes wait; those freed first leave first. Until this is called the limit is
 * 1 MB or a sixteenth of the live bytes, whichever is more. A block that alone exceeds the limit does not wait.
 */
void heap_set_quarantine(size_t size_bytes);

/*
 * Returns a new block of this size, which may be 0, or null if there is no memory. alignment is a power of two; at
 * least 16 is used. The contents are undefined.
 */
void *heap_allocate(size_t size, size_t alignment);

/* The same with contents of 0, aligned by 16. Touches no page that is 0 already because it is new. */
void *heap_allocate_zeroed(size_t size);

/* Frees a block. When it returns anything but HEAP_OK, nothing happened. */
enum heap_fault heap_free(void *block);

/* What heap_free would return. */
enum heap_fault heap_check(const void *block);

/* Changes the size of a live block without moving it, and returns it: it then counts as made by this call. Null when
 * it would have to be moved: it is unchanged. */
void *heap_resize(void *block, size_t size);

/* The requested size; 0 if it is not the start of a live block. */
size_t heap_usable(const void *block);

/*
 * Marks the live block that contains this address as noted; and whether the block that starts there is noted. The
 * mark lasts until the block is freed, also when its size changes. Small blocks keep no mark: they always count as
 * noted.
 */
void heap_note(const void *at);
bool heap_is_noted(const void *block);

/*
 * The maker of a live block, as the caller gives it. It lasts until the block is freed, and nothing else changes it;
 * blocks whose maker was never set have a time of 0. For blocks that a signal handler made in the middle of a call
 * nothing is kept.
 */
void heap_set_maker(const void *block, struct heap_maker maker);
struct heap_maker heap_maker(const void *block);

/* Whether the address is in the heap's part of the address space. */
bool heap_owns(const void *at);

/*
 * Finds the block at the address, which need not be its start; for an address after the end of a block and before the
 * next place for one, that block. A freed block is found until its memory is used again. Returns false if the address
 * is not the heap's, or if no block can be there.
 */
bool heap_find(const void *at, struct heap_block *out);

struct heap_totals heap_totals(void);

#endif
