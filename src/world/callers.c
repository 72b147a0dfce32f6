/*
 * callers.c: see callers.h. The stack is the program's, and a value that is not a frame pointer may lead anywhere:
 * only addresses further out, and not far, are read, with a landing.
 */
#include "world/callers.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "world/kernel/landing.h"
#include "world/log.h"
#include "world/parts.h"

#define MAX_DEPTH HEDDLE_MAX_CALLERS
#define MAX_OWN_FRAMES 32u
#define MAX_FRAME_BYTES (1ul << 20)
#define TABLE_ROOM (1u << 16)
#define MAX_TABLE (TABLE_ROOM / 4 * 3)

struct entry {
	uint64_t hash; /* two sequences with the same hash count as one */
	uint32_t number;
};

struct sequence {
	uint32_t count;
	uint64_t addresses[MAX_DEPTH];
};

static struct entry *table;
static struct sequence *sequences; /* by number - 1; not of a detailed run */
static uint32_t known_count;

/* Where it returns to, and the frame around it; null when there is none. */
static const uintptr_t *next_frame(const uintptr_t *frame)
{
	uintptr_t here = (uintptr_t)frame, next = frame[0];
	return next > here && next - here < MAX_FRAME_BYTES && next % sizeof next == 0 ? (const uintptr_t *)next : NULL;
}

static void walk(const uintptr_t *frame, uint64_t *addresses, volatile uint32_t *count)
{
	uint32_t own = 0;
	for (; frame && *count < MAX_DEPTH; frame = next_frame(frame)) {
		if (!*count && dispatch_is_own(frame[1])) {
			if (++own > MAX_OWN_FRAMES)
				return;
			continue;
		}
		addresses[*count] = frame[1];
		++*count;
	}
}

static bool keep(const uint64_t *addresses, uint32_t count)
{
	if (world.is_detailed) {
		log_write_callers(addresses, count);
		return true;
	}
	if (!sequences)
		sequences = world_pages(MAX_TABLE * sizeof *sequences);
	if (!sequences)
		return false;
	sequences[known_count].count = count;
	memcpy(sequences[known_count].addresses, addresses, count * sizeof *addresses);
	return true;
}

static uint32_t find(const uint64_t *addresses, uint32_t count)
{
	uint64_t hash = count;
	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ addresses[i]) * 0x9e3779b97f4a7c15ul, hash ^= hash >> 29;
	if (!table)
		table = world_pages(TABLE_ROOM * sizeof *table);
	if (!table)
		return 0;
	uint32_t at = (uint32_t)(hash % TABLE_ROOM);
	for (; table[at].number; at = (at + 1) % TABLE_ROOM)
		if (table[at].hash == hash)
			return table[at].number;
	if (known_count == MAX_TABLE)
		return 0;
	if (!keep(addresses, count))
		return 0;
	table[at] = (struct entry){ hash, ++known_count };
	return known_count;
}

uint32_t callers_of(uint32_t number, const uint64_t **addresses)
{
	if (!sequences || !number || number > known_count)
		return 0;
	*addresses = sequences[number - 1].addresses;
	return sequences[number - 1].count;
}

__attribute__((noinline)) uint32_t callers_here(void)
{
	struct thread *self = world.current;
	struct landing *outer = self->landing, landing;
	static uint64_t addresses[MAX_DEPTH]; /* stacks of the program may be small */
	volatile uint32_t count = 0;
	if (!landing_prepare(&landing)) {
		self->landing = &landing;
		walk(__builtin_frame_address(0), addresses, &count);
	}
	self->landing = outer;
	return count ? find(addresses, count) : 0;
}
