/*
 * recorder.c: see recorder.h. An entry, from its lowest bit: thread 16, place 14, place of the last access by another thread than
 * that 14, tag 19, and whether something gave way. No thread: the entry is free.
 */
#include "parallel/recorder.h"

#include <errno.h>

#include "rt/sys.h"

#define PLACE_SHIFT 16u
#define BEFORE_SHIFT 30u
#define TAG_SHIFT 44u
#define THREAD_MASK 0xffffull
#define PLACE_MASK 0x3fffull
#define TAG_MASK 0x7ffffull
#define GAVE_WAY (1ull << 63)
#define SAME_MASK (TAG_MASK << TAG_SHIFT | PLACE_MASK << PLACE_SHIFT | THREAD_MASK)
#define PAGE_MARKS (1u << 20)

static uint64_t *table;
static uint32_t table_shift; /* of a hash, to its entry */
static uint8_t *marks;       /* of pages of the program in which something was recorded */

static inline uint64_t hash_of(uintptr_t address)
{
	return (address >> HEDDLE_CELL_SHIFT) * 0x9e3779b97f4a7c15u;
}

static inline uint8_t *mark_of(uintptr_t address)
{
	return &marks[(address >> 12) % PAGE_MARKS];
}

static inline bool has(recorder_set set, uint32_t place)
{
	return set[place / 64] >> place % 64 & 1;
}

int recorder_start(uint32_t bits)
{
	long at = sys_mmap(sizeof *table << bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			   -1, 0);
	long more = sys_mmap(PAGE_MARKS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(at) || sys_failed(more))
		return -ENOMEM;
	table = (uint64_t *)at;
	table_shift = 64 - bits;
	marks = (uint8_t *)more;
	return 0;
}

static inline uint32_t place_at(uint64_t entry, unsigned shift)
{
	return (uint32_t)(entry >> shift & PLACE_MASK);
}

uint32_t recorder_access(uintptr_t address, uint32_t place, uint32_t thread, recorder_set set)
{
	uint64_t hash = hash_of(address), *entry = &table[hash >> table_shift];
	uint64_t tag = (hash >> 8 & TAG_MASK) << TAG_SHIFT;
	uint64_t own = tag | (uint64_t)place << PLACE_SHIFT | thread;
	uint64_t seen = __atomic_load_n(entry, __ATOMIC_RELAXED);
	for (;;) {
		uint64_t gave_way = seen & GAVE_WAY;
		uint32_t before;
		if (((seen ^ own) & SAME_MASK) == 0) /* again: its predecessor is what it was */
			return HEDDLE_GUARD_UNKNOWN;
		if (!(seen & THREAD_MASK)) {
			before = gave_way ? HEDDLE_GUARD_UNKNOWN : HEDDLE_GUARD_NIL;
			*mark_of(address) = 1;
		} else if (((seen ^ own) & TAG_MASK << TAG_SHIFT) != 0) {
			before = HEDDLE_GUARD_UNKNOWN;
			gave_way = GAVE_WAY;
			*mark_of(address) = 1;
		} else {
			before = place_at(seen, (seen & THREAD_MASK) == thread ? BEFORE_SHIFT : PLACE_SHIFT);
		}
		if (set && before != HEDDLE_GUARD_UNKNOWN && !has(set, before))
			return before;
		/* Relaxed: it orders nothing of the program; an entry is one word. */
		if (__atomic_compare_exchange_n(entry, &seen, own | (uint64_t)before << BEFORE_SHIFT | gave_way, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return HEDDLE_GUARD_UNKNOWN;
	}
}

static void forget_cell(uintptr_t address)
{
	uint64_t hash = hash_of(address), *entry = &table[hash >> table_shift];
	uint64_t seen = __atomic_load_n(entry, __ATOMIC_RELAXED);
	while ((seen & THREAD_MASK) && (seen >> TAG_SHIFT & TAG_MASK) == (hash >> 8 & TAG_MASK) &&
	       !__atomic_compare_exchange_n(entry, &seen, seen & GAVE_WAY, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void recorder_forget(uintptr_t start, size_t size_bytes)
{
	if (!table)
		return;
	for (uintptr_t at = start & -(uintptr_t)HEDDLE_CELL_BYTES, end = start + size_bytes; at < end;) {
		uintptr_t page_end = (at | 0xfff) + 1;
		if (!*mark_of(at)) {
			at = page_end;
			continue;
		}
		for (; at < end && at < page_end; at += HEDDLE_CELL_BYTES)
			forget_cell(at);
	}
}
