/*
 * recorder.c: see recorder.h. Pages of the program in which something was recorded are marked, so that ending memory which nobody
 * recorded costs nothing.
 */
#include "parallel/recorder.h"

#include <errno.h>

#include "rt/sys.h"

#define THREAD_MASK ((uint64_t)RECORDER_THREAD_MASK)
#define PLACE_MASK ((uint64_t)RECORDER_PLACE_MASK)
#define TAG_MASK ((uint64_t)RECORDER_TAG_MASK)
#define GAVE_WAY (1ull << 63)
#define SAME_MASK (TAG_MASK << RECORDER_TAG_SHIFT | PLACE_MASK << RECORDER_PLACE_SHIFT | THREAD_MASK)
#define GOLDEN_RATIO 0x9e3779b97f4a7c15u /* times 2^64 */
#define PAGE_MARKS (1u << 20)

struct recorder recorder;
static uint8_t *marks; /* of pages of the program in which something was recorded */

static inline uint64_t hash_of(uintptr_t address)
{
	return (address >> HEDDLE_CELL_SHIFT) * recorder.factor;
}

static inline uint64_t *entry_of(uint64_t hash)
{
	return &recorder.table[hash >> 32 & recorder.mask];
}

static inline uint64_t tag_of(uint64_t hash)
{
	return (hash >> RECORDER_HASH_TAG_SHIFT & TAG_MASK) << RECORDER_TAG_SHIFT;
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
	long at = sys_mmap(sizeof *recorder.table << bits, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	long more = sys_mmap(PAGE_MARKS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(at) || sys_failed(more))
		return -ENOMEM;
	marks = (uint8_t *)more;
	recorder =
		(struct recorder){ .table = (uint64_t *)at,
				   .mask = (1ull << bits) - 1,
				   /* The number of an entry is bits 32 to 32 + bits of the product: its upper ones. */
				   .factor = GOLDEN_RATIO >> (32 - bits) | 1,
				   .tag_mask = TAG_MASK << RECORDER_TAG_SHIFT,
				   .keep_mask = PLACE_MASK << RECORDER_BEFORE_SHIFT | GAVE_WAY };
	return 0;
}

static inline uint32_t place_at(uint64_t entry, unsigned shift)
{
	return (uint32_t)(entry >> shift & PLACE_MASK);
}

uint32_t recorder_access(uintptr_t address, uint32_t place, uint32_t thread, recorder_set set)
{
	uint64_t hash = hash_of(address), *entry = entry_of(hash);
	uint64_t own = tag_of(hash) | (uint64_t)place << RECORDER_PLACE_SHIFT | thread;
	uint64_t seen = __atomic_load_n(entry, __ATOMIC_RELAXED);
	for (;;) {
		uint64_t gave_way = seen & GAVE_WAY;
		uint32_t before;
		if (((seen ^ own) & SAME_MASK) == 0) /* again: its predecessor is what it was */
			return HEDDLE_GUARD_UNKNOWN;
		if (!(seen & THREAD_MASK)) {
			before = gave_way ? HEDDLE_GUARD_UNKNOWN : HEDDLE_GUARD_NIL;
			*mark_of(address) = 1;
		} else if (((seen ^ own) & TAG_MASK << RECORDER_TAG_SHIFT) != 0) {
			before = HEDDLE_GUARD_UNKNOWN;
			gave_way = GAVE_WAY;
			*mark_of(address) = 1;
		} else {
			before = place_at(seen, (seen & THREAD_MASK) == thread ? RECORDER_BEFORE_SHIFT
									       : RECORDER_PLACE_SHIFT);
		}
		if (set && before != HEDDLE_GUARD_UNKNOWN && !has(set, before))
			return before;
		/* Relaxed: it orders nothing of the program; an entry is one word. */
		if (__atomic_compare_exchange_n(entry, &seen,
						own | (uint64_t)before << RECORDER_BEFORE_SHIFT | gave_way, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return HEDDLE_GUARD_UNKNOWN;
	}
}

static void forget_cell(uintptr_t address)
{
	uint64_t hash = hash_of(address), *entry = entry_of(hash);
	uint64_t seen = __atomic_load_n(entry, __ATOMIC_RELAXED);
	while ((seen & THREAD_MASK) && ((seen ^ tag_of(hash)) & TAG_MASK << RECORDER_TAG_SHIFT) == 0 &&
	       !__atomic_compare_exchange_n(entry, &seen, seen & GAVE_WAY, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void recorder_forget(uintptr_t start, size_t size_bytes)
{
	if (!recorder.table)
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
