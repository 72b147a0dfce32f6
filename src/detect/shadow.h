/*
 * shadow.h: the accesses that a later one can be in conflict with, for every byte of the program's memory. Each eight
 * bytes have a cell of two words; a word is one access: which of the bytes, what it did, the slot and the clock of its
 * thread, and its site. Where two are not enough, the second word leads to a list. An access leaves only when a newer one
 * of its bytes is in conflict with everything that it is in conflict with and is ordered behind it (or the two were
 * reported); so no race is lost because of a lack of room.
 */
#ifndef DETECT_SHADOW_H
#define DETECT_SHADOW_H

#include "detect/order.h"

enum shadow_kind { SHADOW_WRITE, SHADOW_READ, SHADOW_ATOMIC_WRITE, SHADOW_ATOMIC_READ };

#define SHADOW_PLACE 0x310000000000ul
#define SHADOW_ROOM 0x200000000000ul

struct cell {
	uint64_t words[2];
};

static inline struct cell *shadow_of(uintptr_t address)
{
	return (struct cell *)(SHADOW_PLACE + ((address << 20) >> 23 << 4));
}

/* Whether all of the bytes, at most eight and in one cell, are in a word of the cell itself. Then they were accessed since
 * they were last made or freed. */
static inline bool shadow_is_covered(uintptr_t address, size_t size_bytes)
{
	if ((address & 7) + size_bytes > 8)
		return false;
	const struct cell *cell = shadow_of(address);
	unsigned mask = ((1u << size_bytes) - 1) << (address & 7);
	return !(mask & ~(unsigned)(cell->words[0] | cell->words[1]) & 255);
}

/* Maps it. Returns 0 or a negative errno. */
int shadow_start(void);

/* The current thread accesses size_bytes from the address. */
void shadow_access(uintptr_t address, size_t size_bytes, enum shadow_kind kind, const struct heddle_site *site);

/* The current thread ends the life of the bytes: as if it wrote them, and then nothing is known of them. */
void shadow_end(uintptr_t address, size_t size_bytes, uintptr_t code);

/* Nothing is known of the bytes. */
void shadow_clear(uintptr_t address, size_t size_bytes);

#endif
