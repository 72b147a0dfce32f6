/*
 * order.h: what is ordered before what. Each thread has a vector clock of what it has seen; synchronisation passes them on
 * through objects, which have addresses.
 *
 * Invariants:
 *  1. A thread's own clock goes up each time it releases, so accesses before and after can be distinguished.
 *  2. A slot is given to a new thread only when all that its last thread did is ordered before the new one's creation.
 *     So "everything the slot did up to a clock" is well defined although threads come and go. When no such slot is left,
 *     the one whose thread ended longest ago is reused anyway, and a note reports it.
 */
#ifndef DETECT_ORDER_H
#define DETECT_ORDER_H

#include <stddef.h>

#include "detect/vector.h"
#include "heddle/abi.h"

/* A word for an access: which bytes of eight, what it did, when, and where. See detect/shadow.h. */
#define WORD_KIND_SHIFT 8u
#define WORD_SLOT_SHIFT 10u
#define WORD_CLOCK_SHIFT 21u
#define WORD_SITE_SHIFT 43u
#define SLOT_MAX 2046u /* the last one is for the crowd: all threads created when no slot was left */
#ifndef CLOCK_MAX      /* tests have a smaller one */
#define CLOCK_MAX ((1u << 22) - 1)
#endif

static inline uint32_t word_slot(uint64_t word)
{
	return (uint32_t)(word >> WORD_SLOT_SHIFT) & 2047;
}

static inline uint32_t word_clock(uint64_t word)
{
	return (uint32_t)(word >> WORD_CLOCK_SHIFT) & CLOCK_MAX;
}

/* What one thread has seen; threads that synchronise in ways that cannot be seen share one. */
struct order {
	struct vector seen;
	struct vector must; /* only through creating and joining threads, so valid in every schedule */
	/* By fences: what an acquire fence will have seen, and what a store behind a release fence releases. */
	struct vector loaded, fenced;
	bool has_fenced;
	bool has_moved;    /* it had another slot before */
	bool has_accessed; /* memory, since its clock last went up */
	uint32_t slot;
	uint32_t number; /* from 1, unique */
	uint32_t users;
};

extern struct order *order_now; /* the current thread's */

/* Whether the access that the word stands for is ordered before the current thread. */
static inline bool order_is_before(uint64_t word)
{
	return word_clock(word) <= vector_at(&order_now->seen, word_slot(word));
}

/* Updates detect.epoch, after order_now, its slot or its own clock has changed. */
void order_set_epoch(void);

struct order *order_new(struct order *creator);
/* For a thread that shares the order of its creator: whatever one of them sees, both have seen. */
struct order *order_share(struct order *creator);
/* The current thread, one of its users, ends; a joining thread acquires object by order_join. */
void order_end(struct order *order, const volatile void *object);
void order_join(const volatile void *object);
/* The first thread's. */
struct order *order_first(void);
/* Orders what the current thread did before what the other one does next, without an acquire there. */
void order_pass(struct order *other);

void order_acquire(const volatile void *object);
void order_release(const volatile void *object);
void order_release_more(const volatile void *object);
/* A lock that several threads may share: they are not ordered among themselves, but all before the next exclusive
 * owner. */
void order_release_shared(const volatile void *object);
void order_acquire_alone(const volatile void *object);

/* A barrier, as in detect/detect.h. Threads that reach it after the last one of a round begin the next round, even while
 * threads of the previous one have not left yet. */
struct round;
void order_barrier_made(const volatile void *object, uint32_t count);
struct round *order_barrier_reached(const volatile void *object);
void order_barrier_left(const volatile void *object, struct round *round);

/* Atomic accesses, after they were made. order: enum heddle_order. */
void order_atomic_read(const volatile void *object, size_t size_bytes, unsigned order);
void order_atomic_write(const volatile void *object, size_t size_bytes, unsigned order);
void order_atomic_update(const volatile void *object, size_t size_bytes, unsigned order);
void order_fence(unsigned order);
/* For order_atomic.c: the current thread has released something. */
void order_advance(void);

/* The index of the thread that had the slot at that clock. */
uint32_t order_thread(uint32_t slot, uint32_t clock);
void order_name(struct order *order, uint32_t index);

#endif
