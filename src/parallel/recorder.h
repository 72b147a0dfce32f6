/*
 * recorder.h: for each cell of memory (heddle/guard.h) the place and thread of the last access and the place of the last access by
 * another thread than that: from these follows the remote predecessor of an access before it happens (Zhang and others, IEEE TSE 2016,
 * algorithm 1). A table of fixed size; each entry is one word, changed by a compare and exchange.
 *
 * Invariants:
 *  1. No lock, no memory but the table: any thread may call this at any time, also in a signal handler.
 *     Assured by tests/unit/recorder.t.
 *  2. What an entry that gave way had is unknown, for ever: neither nil nor a place. Its entry remembers that something gave way
 *     there, also when it is forgotten later.
 *     Assured by tests/unit/recorder.t.
 *  3. Two cells whose hashes agree in all bits that are kept are mistaken for each other: once in 2^19 pairs that share an entry.
 *     Assured by tests/unit/recorder.t.
 */
#ifndef PARALLEL_RECORDER_H
#define PARALLEL_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/guard.h"

#define RECORDER_THREADS 65535u /* numbers of threads, from 1 */

/* An entry, from its lowest bit: thread 16, place 14, place of the last access by another thread than that 14, tag 19, and whether
 * something gave way. No thread: the entry is free. The entry of a cell is found by its number times the factor, which is the golden
 * ratio, so that cells of an array spread evenly: from bit 32 on the number of the entry, from bit 8 on the tag. Here for code in assembly. */
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
	uint64_t tag_mask;  /* of an entry: the tag, */
	uint64_t keep_mask; /* and what stays when a thread goes on to another place */
};
extern struct recorder recorder __attribute__((visibility("hidden")));

/* Makes a table with 1 << bits entries. Returns 0 or a negative errno. */
int recorder_start(uint32_t bits);

/* The predecessors that are allowed for a place: bit 0 is nil, bit P place P. Null: all. */
typedef const uint64_t *recorder_set;

/*
 * The thread is about to access the cell of the address. If its predecessor is unknown or in the set, the access is recorded, and
 * HEDDLE_GUARD_UNKNOWN is returned; if not, nothing is changed, and the predecessor is returned.
 */
uint32_t recorder_access(uintptr_t address, uint32_t place, uint32_t thread, recorder_set set);

/* The memory ends: what comes to it next has no predecessor. */
void recorder_forget(uintptr_t start, size_t size_bytes);

#endif
