/*
 * heap.c: see heap.h.
 *
 * A block is a slot of a span; all slots of a span have the same size, one of the classes: multiples of 16 up to 128,
 * above that 8 for each power of two. Spans are cut from one of three regions, for small, medium and huge slots, and
 * stay in their class for ever: address space is plenty, and the pages of large slots are given back to the kernel
 * when their block leaves the queue. A table for each region leads from an address to its span, so blocks are found
 * by any address in them.
 *
 * The process is forked often, and each page that was written costs a copy. So the first span of a class has only few
 * slots, later ones twice as many each, and what is known of slots and spans is packed without gaps, in order of
 * their making.
 *
 * A slot has a name of 32 bits, for lists: its place in the region of small slots in units of 16 bytes, or the number
 * of its span with NAME_IS_SPAN: other spans have one slot. 0 names none.
 *
 * Invariants:
 *  1. Blocks are never written or read here, except to fill them with 0 when asked.
 *     Assured by tests/unit/heap.t.
 *  2. A slot is in one of four states: never used (made is 0); live (freed is 0); in the queue; in its class's list.
 *  3. A table leads to a span only when the span and its slots are complete: a signal handler may look.
 *     Assured by tests/unit/heap.t.
 *  4. All slots of a class are aligned by the largest power of two that divides its size.
 */
#include "world/memory/heap.h"

#include <errno.h>
#include <string.h>

#include "rt/sys.h"
#include "world/world.h"

#define KB (1ul << 10)
#define MB (1ul << 20)
#define GB (1ul << 30)

#define PAGE_BYTES 4096ul
#define SMALL_MAX (32 * KB)
#define MEDIUM_MAX (8 * MB)
#define SPAN_MAX (64 * KB)
/* From this size on pages are returned to the kernel. Below it, a system call and new faults cost more than they
 * save. */
#define GIVE_BACK_MIN (1 * MB)
#define QUARANTINE_DEFAULT (1 * MB)
#define CLASS_COUNT 272u
#define NAME_IS_SPAN 0x80000000u
#define LARGE_IS_NOTED (1ul << 63)
#define EMERGENCY_ROOM (64 * KB) /* the first of the region of small slots */
#define EMERGENCY_COUNT 128u

struct span {
	uintptr_t base;
	size_t large_size;    /* of the block, when it is not in a small slot, and LARGE_IS_NOTED */
	uint32_t slots;       /* number of its first slot */
	uint32_t inverse;     /* (offset * inverse) >> 32 is the slot; 0 when there is one slot only */
	uint32_t small_bytes; /* of a slot; 0 when it is not small */
	uint16_t slot_count;
	uint16_t class;
};

struct slot {
	uint64_t made_and_size; /* made << 16 | size of the block, when the slot is small */
	uint32_t freed;         /* the lower half of the number of the call, never 0; 0: live or never used */
	uint32_t next;          /* in the queue or in its class's list */
};

/* The regions come first, then their tables in the same order. */
enum area_name { SMALL, MEDIUM, HUGE, TABLES, SPANS = TABLES + 3, SLOTS, MAKERS, AREA_COUNT };

static const struct {
	uintptr_t place;
	size_t limit_bytes;
} rooms[AREA_COUNT] = {
	[SMALL] = { PLACE_HEAP + 256 * GB, 32 * GB },        [MEDIUM] = { PLACE_HEAP + 512 * GB, 1024 * GB },
	[HUGE] = { PLACE_HEAP + 2048 * GB, 2048 * GB },      [TABLES + SMALL] = { PLACE_HEAP, 512 * MB },
	[TABLES + MEDIUM] = { PLACE_HEAP + 1 * GB, 1 * GB }, [TABLES + HUGE] = { PLACE_HEAP + 2 * GB, 8 * MB },
	[SPANS] = { PLACE_HEAP + 4 * GB, 16 * GB },          [SLOTS] = { PLACE_HEAP + 64 * GB, 48 * GB },
	[MAKERS] = { PLACE_HEAP + 128 * GB, 48 * GB },
};
_Static_assert(PLACE_HEAP_ROOM >= 4096 * GB, "the regions fit");
_Static_assert(sizeof(struct span) == 32 && sizeof(struct slot) == 16 && sizeof(struct heap_maker) == 16,
	       "what is known of slots is dense");

/* How many bytes an entry of a region's table stands for, as a shift. */
static const uint8_t granule_shifts[] = { [SMALL] = 8, [MEDIUM] = 12, [HUGE] = 20 };

struct area {
	size_t used_bytes, mapped_bytes;
};

struct class
{
	uint32_t free; /* name of the first slot to use again */
	uint32_t span; /* from which new slots are taken: those from next to end */
	uint16_t next, end;
	uint32_t span_bytes; /* of the last span */
};

struct emergency_block {
	uintptr_t start;
	size_t size;
	uint64_t made, freed;
};

static struct {
	volatile bool is_busy;
	bool is_started;
	uint8_t live_shift; /* the quarantine may have live_bytes >> live_shift */
	uint32_t first;     /* of the queue */
	struct slot *last;
	uint64_t clock;
	size_t live_bytes, waiting_bytes, quarantine_bytes;
	uint32_t span_count, slot_count;
	struct area areas[AREA_COUNT];
	struct class classes[CLASS_COUNT];
	size_t emergency_bytes;
	uint32_t emergency_count;
	struct emergency_block emergency[EMERGENCY_COUNT];
} heap;

/* Where an address leads to. */
struct place {
	struct span *span;
	struct slot *slot;
	uintptr_t start;
	size_t bytes; /* of the slot */
};

static inline void enter(void)
{
	heap.is_busy = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void leave(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	heap.is_busy = false;
}

static inline size_t round_up(size_t value, size_t power)
{
	return (value + power - 1) & -power;
}

static inline struct span *spans(void)
{
	return (struct span *)rooms[SPANS].place;
}

static inline struct slot *slots(void)
{
	return (struct slot *)rooms[SLOTS].place;
}

static inline uint32_t *table_of(enum area_name region)
{
	return (uint32_t *)rooms[TABLES + region].place;
}

/* The class of the smallest slots with more than the given number of bytes. */
static inline uint32_t class_above(size_t bytes)
{
	uint32_t power = 63 - (uint32_t)__builtin_clzl(bytes | 64);
	uint32_t shift = power - 3 + (power == 6);
	return 8 * (power - 6) + ((uint32_t)(bytes >> shift) & 7);
}

static inline size_t class_bytes(uint32_t class)
{
	return class < 8 ? (class + 1) * 16ul : (9 + (class & 7ul)) << (3 + (class >> 3));
}

/* The class of the smallest slots for such a block and a byte behind it. */
static inline uint32_t class_for(size_t size, size_t alignment)
{
	if (alignment <= 16)
		return class_above(size);
	uint32_t class = class_above(size < alignment ? alignment - 1 : size);
	while (class_bytes(class) <= size || class_bytes(class) & (alignment - 1))
		class ++;
	return class;
}

/* The number of this call. freed is its lower half, which must not be 0. */
static inline uint64_t tick(void)
{
	if (!(uint32_t)++heap.clock)
		heap.clock++;
	return heap.clock;
}

/*
 * Maps an area up to end_bytes at least. Piece by piece, not the whole room at once: limits on address space would
 * refuse it, and a core dump would look at all of it.
 */
static int area_map(enum area_name name, size_t end_bytes)
{
	struct area *area = &heap.areas[name];
	if (end_bytes <= area->mapped_bytes)
		return 0;
	if (end_bytes > rooms[name].limit_bytes)
		return -ENOMEM;
	size_t least = round_up(end_bytes - area->mapped_bytes, PAGE_BYTES);
	size_t piece = area->mapped_bytes < 1 * MB ? 1 * MB : area->mapped_bytes;
	piece = piece > 1 * GB ? 1 * GB : piece;
	if (piece > rooms[name].limit_bytes - area->mapped_bytes || piece < least)
		piece = least;
	uintptr_t at = rooms[name].place + area->mapped_bytes;
	long result;
	for (;;) {
		result = sys_call(SYS_mmap, (long)at, (long)piece, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (!sys_failed(result) || piece == least)
			break;
		piece = least;
	}
	if (sys_failed(result))
		return (int)result;
	if ((uintptr_t)result != at) {
		/* A kernel before 4.17 takes the address as a hint. */
		sys_munmap((void *)result, piece);
		return -EEXIST;
	}
	/* A huge page would be cleared, and copied in each forked process, as soon as its first byte is touched. */
	if (name != HUGE)
		sys_madvise((void *)at, piece, MADV_NOHUGEPAGE);
	area->mapped_bytes += piece;
	return 0;
}

int heap_start(void)
{
	static const enum area_name first[] = { SMALL, TABLES + SMALL, SPANS, SLOTS };
	if (heap.is_started)
		return 0;
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++) {
		int error = area_map(first[i], PAGE_BYTES);
		if (error)
			return error;
	}
	heap.live_shift = 4;
	heap.quarantine_bytes = QUARANTINE_DEFAULT;
	heap.span_count = 1;
	heap.areas[SMALL].used_bytes = EMERGENCY_ROOM;
	heap.is_started = true;
	return 0;
}

/* How large the next span of a class of small slots is. */
static size_t next_span_bytes(const struct class *class, size_t bytes)
{
	size_t span_bytes = 2ul * class->span_bytes;
	if (span_bytes > SPAN_MAX)
		span_bytes = SPAN_MAX;
	if (!span_bytes)
		span_bytes = bytes <= 128 ? 512 : bytes <= 512 ? 1024 : bytes <= 2048 ? 2 * bytes : bytes;
	return round_up(span_bytes, 1ul << granule_shifts[SMALL]);
}

/* A new span for the class. False when there is no memory. */
static __attribute__((noinline)) bool class_grow(uint32_t number)
{
	struct class *class = &heap.classes[number];
	size_t bytes = class_bytes(number);
	enum area_name region = bytes <= SMALL_MAX ? SMALL : bytes <= MEDIUM_MAX ? MEDIUM : HUGE;
	size_t granule = 1ul << granule_shifts[region];
	size_t span_bytes = region == SMALL ? next_span_bytes(class, bytes) : round_up(bytes, granule);
	size_t slot_count = region == SMALL ? span_bytes / bytes : 1;
	size_t alignment = bytes & -bytes;
	if (heap_start())
		return false;
	if (class->free || class->next != class->end || !slot_count || slot_count > UINT16_MAX)
		RT_BUG("a class grows that has slots, or cannot have any");

	struct area *area = &heap.areas[region];
	size_t start = round_up(area->used_bytes, alignment < granule ? granule : alignment);
	size_t end = start + span_bytes;
	if (area_map(region, end) || area_map(TABLES + region, (end >> granule_shifts[region]) * sizeof(uint32_t)) ||
	    area_map(SPANS, (heap.span_count + 1ul) * sizeof(struct span)) ||
	    area_map(SLOTS, (heap.slot_count + slot_count) * sizeof(struct slot)))
		return false;

	if ((rooms[region].place + start) & (alignment - 1) || end > heap.areas[region].mapped_bytes)
		RT_BUG("a span is not aligned as its slots, or not mapped");
	for (size_t i = start >> granule_shifts[region]; i < end >> granule_shifts[region]; i++)
		if (table_of(region)[i])
			RT_BUG("two spans are at one place");
	class->span = heap.span_count++;
	class->next = 0;
	class->end = (uint16_t)slot_count;
	class->span_bytes = region == SMALL ? (uint32_t)span_bytes : 0;
	spans()[class->span] = (struct span){
		.base = rooms[region].place + start,
		.slots = heap.slot_count,
		.inverse = slot_count > 1 ? (uint32_t)((1ul << 32) / bytes + 1) : 0,
		.small_bytes = region == SMALL ? (uint32_t)bytes : 0,
		.slot_count = (uint16_t)slot_count,
		.class = (uint16_t)number,
	};
	heap.slot_count += (uint32_t)slot_count;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (size_t i = start >> granule_shifts[region]; i < end >> granule_shifts[region]; i++)
		table_of(region)[i] = class->span;
	area->used_bytes = end;
	return true;
}

static inline void place_slot(struct place *out, struct span *span, uint32_t index)
{
	out->span = span;
	out->slot = slots() + span->slots + index;
	out->bytes = span->small_bytes;
	if (!out->bytes)
		out->bytes = class_bytes(span->class);
	out->start = span->base + index * out->bytes;
}

static inline uint32_t span_slot(const struct span *span, uintptr_t at)
{
	return (uint32_t)(((at - span->base) * span->inverse) >> 32);
}

/* Span 0, to which empty entries of the tables lead, has no slots. */
static inline struct span *span_at(uintptr_t at)
{
	size_t offset = at - rooms[SMALL].place;
	if (__builtin_expect(offset < heap.areas[SMALL].used_bytes, true))
		return spans() + table_of(SMALL)[offset >> granule_shifts[SMALL]];
	offset = at - rooms[MEDIUM].place;
	if (offset < heap.areas[MEDIUM].used_bytes)
		return spans() + table_of(MEDIUM)[offset >> granule_shifts[MEDIUM]];
	offset = at - rooms[HUGE].place;
	if (offset < heap.areas[HUGE].used_bytes)
		return spans() + table_of(HUGE)[offset >> granule_shifts[HUGE]];
	return NULL;
}

/* False when there is no slot. */
static inline bool locate(uintptr_t at, struct place *out)
{
	struct span *span = span_at(at);
	if (!span)
		return false;
	uint32_t index = span_slot(span, at);
	if (index >= span->slot_count)
		return false;
	place_slot(out, span, index);
	return true;
}

static inline uint32_t name_of(const struct place *place)
{
	if (!place->span->small_bytes)
		return (uint32_t)(place->span - spans()) | NAME_IS_SPAN;
	return (uint32_t)((place->start - rooms[SMALL].place) >> 4);
}

static inline void locate_name(uint32_t name, struct place *out)
{
	if (name & NAME_IS_SPAN) {
		place_slot(out, spans() + (name & ~NAME_IS_SPAN), 0);
	} else {
		uintptr_t at = rooms[SMALL].place + ((uintptr_t)name << 4);
		struct span *span = spans() + table_of(SMALL)[name >> (granule_shifts[SMALL] - 4)];
		place_slot(out, span, span_slot(span, at));
	}
}

static inline uint64_t place_made(const struct place *place)
{
	return place->slot->made_and_size >> 16;
}

static inline size_t place_size(const struct place *place)
{
	return !place->span->small_bytes ? place->span->large_size & ~LARGE_IS_NOTED
					 : place->slot->made_and_size & 0xffff;
}

static inline void place_set(const struct place *place, uint64_t made, size_t size)
{
	if (!place->span->small_bytes)
		place->span->large_size = size;
	place->slot->made_and_size = made << 16 | (size & 0xffff);
}

static __attribute__((noinline)) void *emergency_allocate(size_t size, size_t alignment)
{
	/* Another handler may interrupt this one. */
	if (size >= EMERGENCY_ROOM || alignment >= EMERGENCY_ROOM || !heap.is_started)
		return NULL;
	alignment = alignment < 16 ? 16 : alignment;
	size_t offset = __atomic_fetch_add(&heap.emergency_bytes, round_up(size + alignment, 16), __ATOMIC_RELAXED);
	uint32_t index = __atomic_fetch_add(&heap.emergency_count, 1, __ATOMIC_RELAXED);
	offset = round_up(offset, alignment);
	if (index >= EMERGENCY_COUNT || offset + size >= EMERGENCY_ROOM)
		return NULL;
	struct emergency_block *block = &heap.emergency[index];
	block->size = size;
	block->made = heap.clock;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	block->start = rooms[SMALL].place + offset;
	return (void *)block->start;
}

/* The last one that starts at or before the address. */
static __attribute__((noinline)) struct emergency_block *emergency_find(uintptr_t at)
{
	struct emergency_block *best = NULL;
	if (at - rooms[SMALL].place >= EMERGENCY_ROOM)
		return NULL;
	for (uint32_t i = 0; i < EMERGENCY_COUNT && i < heap.emergency_count; i++) {
		struct emergency_block *block = &heap.emergency[i];
		if (block->start && block->start <= at && (!best || block->start > best->start))
			best = block;
	}
	return best;
}

/* A slot of the class, made live. False when there is no memory. */
static inline __attribute__((always_inline)) bool take(uint32_t number, size_t size, struct place *out, bool *is_new)
{
	struct class *class = &heap.classes[number];
	*is_new = !class->free;
	if (class->free) {
		locate_name(class->free, out);
		class->free = out->slot->next;
	} else {
		if (class->next == class->end && !class_grow(number))
			return false;
		place_slot(out, spans() + class->span, class->next++);
	}
	out->slot->freed = 0;
	place_set(out, tick(), size);
	heap.live_bytes += out->bytes;
	return true;
}

void *heap_allocate(size_t size, size_t alignment)
{
	struct place place;
	bool is_new;
	if (size > HEAP_BLOCK_MAX || alignment > HEAP_BLOCK_MAX)
		return NULL;
	if (heap.is_busy)
		return emergency_allocate(size, alignment);
	enter();
	bool is_done = take(class_for(size, alignment), size, &place, &is_new);
	leave();
	return is_done ? (void *)place.start : NULL;
}

void *heap_allocate_zeroed(size_t size)
{
	struct place place;
	bool is_new;
	if (size > HEAP_BLOCK_MAX)
		return NULL;
	if (heap.is_busy)
		return emergency_allocate(size, 16);
	enter();
	bool is_done = take(class_for(size, 16), size, &place, &is_new);
	leave();
	if (!is_done)
		return NULL;
	if (!is_new) {
		/* Also where the pages were given back before: the program may have written there since. */
		if (place.bytes < GIVE_BACK_MIN || sys_madvise((void *)place.start, place.bytes, MADV_DONTNEED))
			memset((void *)place.start, 0, size);
	}
	return (void *)place.start;
}

static inline size_t quarantine_room(void)
{
	size_t share = heap.live_bytes >> heap.live_shift;
	return share > heap.quarantine_bytes ? share : heap.quarantine_bytes;
}

/* Lets the slot be used again. */
static inline void release(const struct place *place)
{
	struct class *class = &heap.classes[place->span->class];
	if (!place->slot->freed)
		RT_BUG("a live block is to be used again");
	if (place->bytes >= GIVE_BACK_MIN)
		sys_madvise((void *)place->start, place->bytes, MADV_DONTNEED);
	place->slot->next = class->free;
	class->free = name_of(place);
}

static inline void release_waiting(void)
{
	while (heap.waiting_bytes > quarantine_room()) {
		struct place place;
		locate_name(heap.first, &place);
		if (place.bytes > heap.waiting_bytes)
			RT_BUG("the queue of freed blocks ends before its bytes");
		heap.first = place.slot->next;
		heap.waiting_bytes -= place.bytes;
		release(&place);
		if (!heap.waiting_bytes)
			return;
		/* It has not been touched for a long time, and it is next. */
		locate_name(heap.first, &place);
		__builtin_prefetch(place.slot, 1);
	}
}

void heap_set_quarantine(size_t size_bytes)
{
	if (heap_start())
		return;
	enter();
	heap.quarantine_bytes = size_bytes;
	heap.live_shift = 63;
	release_waiting();
	leave();
}

static __attribute__((noinline)) enum heap_fault emergency_check(const void *block)
{
	const struct emergency_block *known = emergency_find((uintptr_t)block);
	if (!known)
		return HEAP_NOT_A_BLOCK;
	if (known->start != (uintptr_t)block)
		return HEAP_INTERIOR;
	return known->freed ? HEAP_DOUBLE_FREE : HEAP_OK;
}

/* For an address that leads to the place. */
static inline enum heap_fault place_check(const struct place *place, const void *block)
{
	if (!place_made(place))
		return HEAP_NOT_A_BLOCK;
	if (place->start != (uintptr_t)block)
		return HEAP_INTERIOR;
	return place->slot->freed ? HEAP_DOUBLE_FREE : HEAP_OK;
}

enum heap_fault heap_check(const void *block)
{
	struct place place;
	return locate((uintptr_t)block, &place) ? place_check(&place, block) : emergency_check(block);
}

enum heap_fault heap_free(void *block)
{
	struct place place;
	if (!locate((uintptr_t)block, &place)) {
		enum heap_fault fault = emergency_check(block);
		if (!fault)
			emergency_find((uintptr_t)block)->freed = heap.clock;
		return fault;
	}
	enum heap_fault fault = place_check(&place, block);
	if (fault || heap.is_busy)
		return fault;
	enter();
	place.slot->freed = (uint32_t)tick();
	heap.live_bytes -= place.bytes;
	if (place.bytes > quarantine_room()) {
		release(&place);
	} else {
		if (heap.waiting_bytes)
			heap.last->next = name_of(&place);
		else
			heap.first = name_of(&place);
		heap.last = place.slot;
		heap.waiting_bytes += place.bytes;
		release_waiting();
	}
	leave();
	return HEAP_OK;
}

void *heap_resize(void *block, size_t size)
{
	struct place place;
	if (heap.is_busy || !locate((uintptr_t)block, &place) || place_check(&place, block) || size >= place.bytes)
		return NULL;
	/* A block that became much smaller does not keep its large slot. */
	if (place.bytes > KB && size < place.bytes / 2)
		return NULL;
	size_t note = place.span->small_bytes ? 0 : place.span->large_size & LARGE_IS_NOTED;
	enter();
	place_set(&place, tick(), size | note);
	leave();
	return block;
}

size_t heap_usable(const void *block)
{
	struct place place;
	if (locate((uintptr_t)block, &place))
		return place_check(&place, block) ? 0 : place_size(&place);
	return emergency_check(block) ? 0 : emergency_find((uintptr_t)block)->size;
}

void heap_note(const void *at)
{
	struct span *span = span_at((uintptr_t)at);
	if (span && !span->small_bytes)
		span->large_size |= LARGE_IS_NOTED;
}

bool heap_is_noted(const void *block)
{
	const struct span *span = span_at((uintptr_t)block);
	return !span || span->small_bytes || span->large_size & LARGE_IS_NOTED;
}

/* By slot, in an area that is mapped as far as it is used: most runs do not want it. */
static inline struct heap_maker *maker_of(const struct place *place)
{
	return (struct heap_maker *)rooms[MAKERS].place + (place->slot - slots());
}

static inline bool has_maker(const struct place *place)
{
	return (uintptr_t)(maker_of(place) + 1) <= rooms[MAKERS].place + heap.areas[MAKERS].mapped_bytes;
}

void heap_set_maker(const void *block, struct heap_maker maker)
{
	struct place place;
	if (!locate((uintptr_t)block, &place))
		return;
	if (!has_maker(&place) &&
	    (!maker.time || area_map(MAKERS, (uintptr_t)(maker_of(&place) + 1) - rooms[MAKERS].place)))
		return;
	*maker_of(&place) = maker;
}

struct heap_maker heap_maker(const void *block)
{
	struct place place;
	return locate((uintptr_t)block, &place) && has_maker(&place) ? *maker_of(&place) : (struct heap_maker){ 0, 0 };
}

bool heap_owns(const void *at)
{
	return (uintptr_t)at - PLACE_HEAP < PLACE_HEAP_ROOM;
}

bool heap_find(const void *at, struct heap_block *out)
{
	struct place place;
	if (locate((uintptr_t)at, &place)) {
		out->start = (void *)place.start;
		out->size = place_size(&place);
		out->room = place.bytes;
		out->made = place_made(&place);
		/* Freed at most 2^32 calls after it was made: else the number shown is too small. */
		uint32_t freed = place.slot->freed;
		out->freed = freed ? out->made + (uint32_t)(freed - (uint32_t)out->made) : 0;
	} else {
		const struct emergency_block *block = emergency_find((uintptr_t)at);
		if (!block)
			return false;
		out->start = (void *)block->start;
		out->size = block->size;
		out->room = round_up(block->size + 1, 16);
		out->made = block->made;
		out->freed = block->freed;
	}
	out->state = out->freed ? HEAP_FREED : out->made ? HEAP_LIVE : HEAP_NEVER;
	size_t offset = (uintptr_t)at - (uintptr_t)out->start;
	out->beyond = offset < out->size ? 0 : offset - out->size + 1;
	return true;
}

struct heap_totals heap_totals(void)
{
	return (struct heap_totals){
		.calls = heap.clock,
		.live_bytes = heap.live_bytes,
		.waiting_bytes = heap.waiting_bytes,
	};
}
