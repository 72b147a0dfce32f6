/*
 * recorder.h: records, for each cell of memory (heddle/guard.h), the place and the thread of the last access, and the
 * place of the last access by any other thread. These determine the remote predecessor of an access before it is made
 * (Zhang and others, IEEE TSE 2016, algorithm 1). The table has a fixed size; each entry is one word, changed by a
 * compare and exchange.
 *
 * Invariants:
 *  1. The recorder takes no lock and allocates no memory after its start: any thread may call it at any time, also in a
 *     signal handler.
 *     Assured by tests/unit/recorder.t.
 *  2. When a cell displaces another one from an entry, the predecessors of the displaced cell are unknown for ever:
 *     neither nil nor a place. The entry keeps a mark of the displacement, also when the cell in it is forgotten later.
 *     Assured by tests/unit/recorder.t.
 *  3. Two cells whose hashes agree in all bits that are kept are mistaken for each other. This happens for one in 2^19
 *     pairs of cells that share an entry.
 *     Assured by tests/unit/recorder.t.
 */
#ifndef PARALLEL_RECORDER_H
#define PARALLEL_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/guard.h"

#define RECORDER_THREADS 65535u /* numbers of threads, from 1 */

/* The bits of an entry, from the lowest: thread 16, place 14, place of the last access by another thread 14, tag 19,
 * and 1 that is set when a cell was displaced. Thread 0: the entry is free. The number of a cell is multiplied by the
 * factor, which is derived from the golden ratio, so that the cells of an array spread evenly. In the product the
 * number of the entry begins at bit 32, and the tag at bit 8. These definitions are in the header because the assembly
 * of guard_entry.c uses them. */
#define RECORDER_PLACE_SHIFT 16
#define RECORDER_BEFORE_SHIFT 30
#define RECORDER_TAG_SHIFT 44
#define RECORDER_THREAD_MASK 0xffff
#define RECORDER_PLACE_MASK 0x3fff
#define RECORDER_TAG_MASK 0x7ffff
#define RECORDER_HASH_TAG_SHIFT 8
struct recorder {
	uint64_t *table;
	uint64_t mask, factor;
	uint64_t tag_mask;  /* the bits of an entry's tag */
	uint64_t keep_mask; /* the bits that stay when the same thread accesses the cell from another place */
};
extern struct recorder recorder __attribute__((visibility("hidden")));

/* Makes a table with 1 << bits entries. Returns 0 or a negative errno. */
int recorder_start(uint32_t bits);

/* The allowed predecessors of a place: bit 0 stands for nil, bit P for place P. Null allows all. */
typedef const uint64_t *recorder_set;

/*
 * The thread is about to access the cell of the address. If the remote predecessor of the access is unknown or in the
 * set, records the access and returns HEDDLE_GUARD_UNKNOWN. Otherwise changes nothing and returns the predecessor.
 */
uint32_t recorder_access(uintptr_t address, uint32_t place, uint32_t thread, recorder_set set);

/* The memory is freed or unmapped: the next access to it has no predecessor. */
void recorder_forget(uintptr_t start, size_t size_bytes);

#endif
