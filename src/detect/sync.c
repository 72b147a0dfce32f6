/*
 * sync.c: see sync.h. A hash table with open addressing; when an object is removed, those after it move up, so no
 * tombstones are needed. A bit for each eight bytes of memory tells whether an object may begin there: most memory has none,
 * and reading the bit is all it takes to find out.
 */
#include "detect/sync.h"
#include "heddle/places.h"

#include <sys/mman.h>

#include "detect/pool.h"
#include "detect/shadow.h"
#include "rt/sys.h"

#define MAX_ATOMIC 16u

_Static_assert(SHADOW_BITS_PLACE + SHADOW_BITS_ROOM <= PLACE_WORLD_END, "others are there");

static struct sync *syncs;
static uint32_t sync_count, sync_room;

int sync_start(void)
{
	long at = sys_call(SYS_mmap, (long)SHADOW_BITS_PLACE, (long)SHADOW_BITS_ROOM, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	return sys_failed(at) ? (int)at : 0;
}

/* Bits stay when objects are removed, and addresses without a shadow share them with others: a surplus bit only costs
 * time. */
static uint64_t *bits_of(uintptr_t address)
{
	return (uint64_t *)SHADOW_BITS_PLACE + (((uintptr_t)shadow_of(address) - SHADOW_PLACE) >> 10);
}

static uint64_t bit_of(uintptr_t address)
{
	return 1ul << (address >> 3 & 63);
}

static bool may_have(uintptr_t address)
{
	return *bits_of(address) & bit_of(address);
}

static uint32_t home_of(const volatile void *object)
{
	return (uint32_t)((uintptr_t)object * 0x9e3779b97f4a7c15ul >> 32) & (sync_room - 1);
}

static struct sync *place_of(const volatile void *object)
{
	uint32_t at = home_of(object);
	while (syncs[at].object && syncs[at].object != object)
		at = (at + 1) & (sync_room - 1);
	return &syncs[at];
}

static void grow(void)
{
	struct sync *old = syncs;
	uint32_t old_room = sync_room;
	sync_room = old_room ? 2 * old_room : 256;
	syncs = pool_take(sync_room * sizeof *syncs);
	for (uint32_t i = 0; i < sync_room; i++)
		syncs[i] = (struct sync){ 0 };
	for (uint32_t i = 0; i < old_room; i++)
		if (old[i].object)
			*place_of(old[i].object) = old[i];
	if (old)
		pool_give(old, old_room * sizeof *old);
}

struct sync *sync_find(const volatile void *object)
{
	if (!sync_room || !may_have((uintptr_t)object))
		return NULL;
	struct sync *sync = place_of(object);
	return sync->object ? sync : NULL;
}

struct sync *sync_need(const volatile void *object)
{
	if (2 * sync_count >= sync_room)
		grow();
	struct sync *sync = place_of(object);
	if (!sync->object) {
		sync->object = object;
		sync_count++;
		*bits_of((uintptr_t)object) |= bit_of((uintptr_t)object);
	}
	return sync;
}

/* Atomic objects do not cross a boundary of their own size. */
static struct sync *next_overlapping(uintptr_t *at, uintptr_t start, uintptr_t end)
{
	while (*at < end) {
		uintptr_t address = (*at)++;
		if (!may_have(address)) {
			*at = (address | 7) + 1;
			continue;
		}
		struct sync *sync = sync_find((const void *)address);
		if (sync && (address >= start || address + sync->size_bytes > start))
			return sync;
	}
	return NULL;
}

struct sync *sync_need_atomic(const volatile void *object, size_t size_bytes)
{
	struct sync *sync = sync_find(object);
	if (sync && sync->size_bytes == size_bytes)
		return sync;
	sync = sync_need(object);
	if (sync->size_bytes)
		sync->is_mixed = true;
	if (size_bytes > sync->size_bytes)
		sync->size_bytes = (uint8_t)(size_bytes <= MAX_ATOMIC ? size_bytes : MAX_ATOMIC);
	uintptr_t start = (uintptr_t)object, at = start & -(uintptr_t)MAX_ATOMIC;
	for (struct sync *other; (other = next_overlapping(&at, start, start + sync->size_bytes));)
		if (other != sync)
			sync->is_overlapping = other->is_overlapping = true;
	return sync;
}

void sync_each(const volatile void *object, size_t size_bytes, void (*each)(const struct sync *sync, void *data),
	       void *data)
{
	uintptr_t start = (uintptr_t)object, at = start & -(uintptr_t)MAX_ATOMIC;
	const struct sync *sync = sync_find(object);
	if (sync && sync->size_bytes == size_bytes && !sync->is_overlapping) {
		each(sync, data);
		return;
	}
	while (sync_room && (sync = next_overlapping(&at, start, start + (size_bytes ? size_bytes : 1))))
		each(sync, data);
}

/* A round belongs to those that wait in it. */
static void clear(struct sync *sync)
{
	vector_release(&sync->released);
	vector_release(&sync->more);
	vector_release(&sync->heads);
	*sync = (struct sync){ .object = sync->object };
}

void sync_forget(const volatile void *object)
{
	struct sync *sync = sync_find(object);
	if (!sync)
		return;
	clear(sync);
	uint32_t hole = (uint32_t)(sync - syncs);
	for (uint32_t at = (hole + 1) & (sync_room - 1); syncs[at].object; at = (at + 1) & (sync_room - 1)) {
		/* It may move up when its home is not between the hole, exclusive, and where it is. */
		uint32_t home = home_of(syncs[at].object);
		if (((at - home) & (sync_room - 1)) < ((at - hole) & (sync_room - 1)))
			continue;
		syncs[hole] = syncs[at];
		hole = at;
	}
	syncs[hole] = (struct sync){ 0 };
	sync_count--;
}

/* For ranges with more words of bits than the table has places. Removing moves others up, never to a place before. */
static void forget_by_table(uintptr_t start, size_t size_bytes)
{
	for (uint32_t i = 0; i < sync_room;) {
		const volatile void *object = syncs[i].object;
		if (object && (uintptr_t)object - start < size_bytes)
			sync_forget(object);
		else
			i++;
	}
}

void sync_forget_range(uintptr_t start, size_t size_bytes)
{
	if (!sync_count || !size_bytes)
		return;
	if (size_bytes >> 9 > sync_room) {
		forget_by_table(start, size_bytes);
		return;
	}
	for (uintptr_t at = start; at - start < size_bytes;) {
		if (!*bits_of(at)) {
			at = (at | 511) + 1;
			continue;
		}
		if (!may_have(at)) {
			at = (at | 7) + 1;
			continue;
		}
		sync_forget((const void *)at++);
	}
}
