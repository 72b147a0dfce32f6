/* block.h: what is known about a heap block (world/memory/heap.h) and about the thread that made it. */
#ifndef RT_BLOCK_H
#define RT_BLOCK_H

#include <stddef.h>
#include <stdint.h>

enum heap_state { HEAP_NEVER, HEAP_LIVE, HEAP_FREED };

struct heap_block {
	void *start;
	size_t size;   /* as requested; 0 for HEAP_NEVER */
	size_t room;   /* start + room is the start of the next block of its kind, if there is one */
	size_t beyond; /* 0: the address is in the block; 1: it is the first byte after the block; and so on */
	enum heap_state state;
	uint64_t made, freed; /* numbers of the calls that made and freed it; 0: none */
};

/* The thread that made a block, as the observer records it: when, and where in the code. A time of 0: not known. */
struct heap_maker {
	uint64_t time;
	uintptr_t code;
};

#endif
