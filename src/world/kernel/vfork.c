/* vfork.c: see vfork.h. In the log a change is a buffer: its address in 8 bytes, then the new contents. The first
 * buffer is the number of changes. */
#include "world/kernel/vfork.h"

#include <string.h>
#include <sys/mman.h>

#include "rt/maps.h"
#include "rt/sys.h"
#include "world/log.h"
#include "world/parts.h"

#define AREA_MAX_BYTES (8ul << 20)
#define AREAS_MAX 64u
#define NEAR 64u /* words this close together are one change */

/* Where the linker has put the runtime. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static struct area {
	uint64_t *start, *end, *copy;
} areas[AREAS_MAX];
static uint32_t area_count;
static uintptr_t stack_pointer;

static bool is_ours(uintptr_t start, uintptr_t end)
{
	return (start >= PLACE_WORLD && start < PLACE_WORLD_END) || place_is_tally(start) ||
	       (start < (uintptr_t)_end && end > (uintptr_t)__ehdr_start);
}

static void add_area(void *data, const struct maps_entry *entry)
{
	(void)data;
	uintptr_t start = entry->start;
	const int both = PROT_READ | PROT_WRITE;
	if (stack_pointer >= start && stack_pointer < entry->end)
		start = stack_pointer & ~7ul;
	if ((entry->protection & both) != both || is_ours(start, entry->end) || entry->end - start > AREA_MAX_BYTES ||
	    area_count == AREAS_MAX)
		return;
	areas[area_count++] = (struct area){ (uint64_t *)start, (uint64_t *)entry->end, NULL };
}

void vfork_before(const struct registers *registers)
{
	area_count = 0;
	if (!world.is_recording)
		return;
	stack_pointer = registers->rsp;
	maps_read(add_area, NULL);
	for (uint32_t i = 0; i < area_count; i++) {
		struct area *area = &areas[i];
		size_t size = (size_t)((char *)area->end - (char *)area->start);
		long at = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (sys_failed(at)) {
			area->end = area->start;
			continue;
		}
		area->copy = (uint64_t *)at;
		memcpy(area->copy, area->start, size);
	}
}

/* Calls each for every change, from the first word that differs to the last one near it. */
static uint64_t each_change(void (*each)(const uint64_t *from, const uint64_t *to))
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < area_count; i++) {
		const struct area *area = &areas[i];
		for (const uint64_t *at = area->start; at < area->end; at++) {
			if (*at == area->copy[at - area->start])
				continue;
			const uint64_t *from = at, *to = at + 1;
			for (; at < area->end && at < to + NEAR; at++)
				if (*at != area->copy[at - area->start])
					to = at + 1;
			at = to - 1;
			count++;
			if (each)
				each(from, to);
		}
	}
	return count;
}

static void write_change(const uint64_t *from, const uint64_t *to)
{
	uint64_t address = (uintptr_t)from;
	const size_t size = (size_t)((const char *)to - (const char *)from);
	log_write_parts(&address, sizeof address, from, size);
}

void vfork_after(long number, long result)
{
	uint64_t count = world.is_recording ? each_change(NULL) : 0;
	log_write_call(number, result, (uint32_t)count + 1);
	log_write_buffer(&count, sizeof count);
	if (world.is_recording)
		each_change(write_change);
	for (uint32_t i = 0; i < area_count; i++)
		if (areas[i].copy)
			sys_munmap(areas[i].copy, (size_t)((char *)areas[i].end - (char *)areas[i].start));
	area_count = 0;
}

void vfork_replay(void)
{
	uint64_t count = 0, address;
	log_take(&count, sizeof count);
	for (; count; count--) {
		size_t size;
		const unsigned char *bytes = log_peek_buffer(&size);
		if (size < sizeof address)
			world_diverge("memory changed by a child");
		memcpy(&address, bytes, sizeof address);
		size -= sizeof address;
		if (is_ours(address, address + size))
			world_diverge("memory changed by a child");
		memcpy((void *)address, bytes + sizeof address, size);
	}
}
