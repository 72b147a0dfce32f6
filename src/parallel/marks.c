/* marks.c: see marks.h. */
#include "parallel/marks.h"

#include <stddef.h>

#define RANGES 256u
#define EXPORT __attribute__((visibility("default")))

EXPORT void heddle_annotate_guard(int is_begin);
EXPORT void heddle_annotate_guard_memory(const volatile void *address, size_t size_bytes);

static struct {
	uintptr_t start, end;
} ranges[RANGES];
static uint32_t range_count; /* may exceed the room */
static __thread uint32_t depth;

void heddle_annotate_guard(int is_begin)
{
	if (is_begin)
		depth++;
	else if (depth)
		depth--;
}

void heddle_annotate_guard_memory(const volatile void *address, size_t size_bytes)
{
	const uintptr_t start = (uintptr_t)address;
	const uint32_t index = __atomic_fetch_add(&range_count, 1, __ATOMIC_RELAXED);
	if (index >= RANGES)
		return;
	ranges[index].start = start;
	/* Release: partner of the acquire in marks_has. Until then the range is empty. */
	__atomic_store_n(&ranges[index].end, start + size_bytes, __ATOMIC_RELEASE);
}

bool marks_has(uintptr_t address)
{
	const uint32_t count = __atomic_load_n(&range_count, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < count && i < RANGES; i++)
		if (address < __atomic_load_n(&ranges[i].end, __ATOMIC_ACQUIRE) && address >= ranges[i].start)
			return true;
	return depth != 0;
}
