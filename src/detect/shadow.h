/*
 * shadow.h: for every byte of the program's memory, the accesses that a later one may conflict with. Each eight
 * bytes have a cell of two words; a word is one access: which of the bytes, what it did, the slot and the clock of its
 * thread, and its site. Where two are not enough, the second word leads to a list. An access is dropped only when a
 * newer one to its bytes conflicts with everything that it conflicts with and is ordered after it (or the two were
 * reported); so no race is lost for lack of room.
 */
#ifndef DETECT_SHADOW_H
#define DETECT_SHADOW_H

#include "detect/detect.h"
#include "detect/order.h"
#include "detect/site.h"
#include "detect/watch.h"
#include "heddle/places.h"

enum shadow_kind { SHADOW_WRITE, SHADOW_READ, SHADOW_ATOMIC_WRITE, SHADOW_ATOMIC_READ };

/* Parts of a word, see detect/order.h. */
#define SHADOW_MASK 255u
#define SHADOW_EPOCH_BITS ((1ul << WORD_SITE_SHIFT) - (1ul << WORD_SLOT_SHIFT))

/* The parts of the address space that have a shadow: by bits 40 to 43 of an address, the bits above. Other addresses
 * would map to the same shadow, and are ignored. */
extern const uint8_t shadow_windows[16];

struct cell {
	uint64_t words[2];
};

static inline struct cell *shadow_of(uintptr_t address)
{
	return (struct cell *)(SHADOW_PLACE + ((address << 20) >> 23 << 4));
}

/* Whether all of the bytes, at most eight and in one cell, are in a word of the cell itself. Then they were accessed since
 * they were last allocated or freed. */
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

/* Compares the access with those in its cell, and adds it. code: see finding_race. */
void shadow_enter(uintptr_t address, uint64_t word, const struct heddle_site *site, uintptr_t code);
/* The same as shadow_enter for a plain access in a cell with a list. Returns false if there is a race: then the access was not added. */
bool shadow_read_many(struct cell *cell, uint64_t word);
bool shadow_write_many(struct cell *cell, uint64_t word);
/* For a cell whose two words both stay. */
void shadow_add_third(struct cell *cell, uint64_t first, uint64_t second, uint64_t word);
void shadow_access_large(uintptr_t address, size_t size_bytes, uint64_t word, const struct heddle_site *site);

static inline enum shadow_kind shadow_kind_of(uint64_t word)
{
	return (enum shadow_kind)(word >> WORD_KIND_SHIFT & 3);
}

/* Nothing new: the same thread has accessed the bytes in the same way, or a stronger one, since it last released. */
static inline bool shadow_is_known(uint64_t old, uint64_t new)
{
	unsigned kind = shadow_kind_of(new);
	bool is_kind = shadow_kind_of(old) == kind || (kind == SHADOW_READ && shadow_kind_of(old) == SHADOW_WRITE);
	return !((old ^ new) & SHADOW_EPOCH_BITS) && !(new &SHADOW_MASK & ~old) && is_kind;
}

/* By kind of an access, bits for kinds of older ones: those that it conflicts with, and those that it replaces from
 * then on when it is ordered after them: everything that conflicts with them conflicts with it. */
static inline unsigned shadow_conflicts(enum shadow_kind kind)
{
	return kind == SHADOW_WRITE
		       ? 1u << SHADOW_WRITE | 1u << SHADOW_READ | 1u << SHADOW_ATOMIC_WRITE | 1u << SHADOW_ATOMIC_READ
	       : kind == SHADOW_READ         ? 1u << SHADOW_WRITE | 1u << SHADOW_ATOMIC_WRITE
	       : kind == SHADOW_ATOMIC_WRITE ? 1u << SHADOW_WRITE | 1u << SHADOW_READ
					     : 1u << SHADOW_WRITE;
}

static inline unsigned shadow_replaced(enum shadow_kind kind)
{
	return kind == SHADOW_WRITE
		       ? 1u << SHADOW_WRITE | 1u << SHADOW_READ | 1u << SHADOW_ATOMIC_WRITE | 1u << SHADOW_ATOMIC_READ
	       : kind == SHADOW_READ         ? 1u << SHADOW_READ | 1u << SHADOW_ATOMIC_READ
	       : kind == SHADOW_ATOMIC_WRITE ? 1u << SHADOW_ATOMIC_WRITE | 1u << SHADOW_ATOMIC_READ
					     : 1u << SHADOW_ATOMIC_READ;
}

/* What remains of an older access that is ordered before the new one, or was reported with it. */
static inline uint64_t shadow_left(uint64_t old, uint64_t new, enum shadow_kind kind)
{
	if (shadow_replaced(kind) >> shadow_kind_of(old) & 1)
		old &= ~(new &SHADOW_MASK);
	return old & SHADOW_MASK ? old : 0;
}

/* Reduces an older access (or 0) to what remains of it after the new one, of that kind. Returns false if the two are a
 * race: then nothing was changed. */
static inline bool shadow_pass(uint64_t *old, uint64_t new, enum shadow_kind kind)
{
	if (!(*old & new &SHADOW_MASK))
		return true;
	if (order_is_before(*old))
		*old = shadow_left(*old, new, kind);
	else if (shadow_conflicts(kind) >> shadow_kind_of(*old) & 1)
		return false;
	return true;
}

/* Whether the two differ only in their bytes. */
static inline bool shadow_is_alike(uint64_t old, uint64_t new)
{
	return old && !((old ^ new) & ~(uint64_t)SHADOW_MASK);
}

/*
 * The same as shadow_enter, if no older access conflicts with it. Returns false if one does: then the access was not added.
 * kind: the word's.
 */
static inline __attribute__((always_inline)) bool shadow_enter_quick(uintptr_t address, uint64_t word,
								     enum shadow_kind kind)
{
	struct cell *cell = shadow_of(address);
	uint64_t first = cell->words[0], second = cell->words[1];
	if (!first) { /* then there is no second */
		cell->words[0] = word;
		return true;
	}
	if (!second) {
		if (shadow_is_alike(first, word)) {
			cell->words[0] = first | word;
			return true;
		}
		if (first & word & SHADOW_MASK) {
			if (shadow_is_known(first, word))
				return true;
			if (!shadow_pass(&first, word, kind))
				return false;
		}
		cell->words[0] = word;
		cell->words[1] = first;
		return true;
	}
	if (!(second & SHADOW_MASK))
		return shadow_is_known(first, word) ? true
		       : kind == SHADOW_READ        ? shadow_read_many(cell, word)
		       : kind == SHADOW_WRITE       ? shadow_write_many(cell, word)
						    : false;
	if (kind == SHADOW_READ && shadow_is_alike(first, word) && shadow_kind_of(second) == SHADOW_WRITE &&
	    word_slot(second) != word_slot(word)) {
		if ((second & word & SHADOW_MASK) && !order_is_before(second))
			return false;
		cell->words[0] = first | word;
		return true;
	}
	if (shadow_is_known(first, word) || shadow_is_known(second, word))
		return true;
	if (!shadow_pass(&first, word, kind) || !shadow_pass(&second, word, kind))
		return false;
	if (shadow_is_alike(first, word)) {
		cell->words[0] = word | first;
		cell->words[1] = second;
		return true;
	}
	if (shadow_is_alike(second, word)) {
		word |= second;
		second = 0;
	}
	if (first && second) {
		shadow_add_third(cell, first, second, word);
		return true;
	}
	cell->words[0] = word;
	cell->words[1] = first | second;
	return true;
}

static inline void shadow_access_cell(uintptr_t address, unsigned mask, uint64_t word, const struct heddle_site *site)
{
	struct cell *cell = shadow_of(address);
	uint64_t first = cell->words[0], second = cell->words[1];
	word |= mask;
	if (detect.is_watching && !shadow_is_known(first, word) && !shadow_is_known(second, word))
		watch_entered(address, word, site);
	if (!first) { /* then there is no second */
		cell->words[0] = word;
		return;
	}
	if (shadow_is_known(first, word) || shadow_is_known(second, word))
		return;
	shadow_enter(address, word, site, 0);
}

/* The current thread accesses size_bytes, at least one, from the address. number: the site's. */
static inline void shadow_access(uintptr_t address, size_t size_bytes, enum shadow_kind kind,
				 const struct heddle_site *site, uint64_t number)
{
	uint64_t word = detect.epoch | (uint64_t)kind << WORD_KIND_SHIFT | number << WORD_SITE_SHIFT;
	if (shadow_windows[address >> 40 & 15] != address >> 44 || !number)
		return;
	order_now->has_accessed = true;
	if ((address & 7) + size_bytes <= 8)
		shadow_access_cell(address, ((1u << size_bytes) - 1) << (address & 7), word, site);
	else
		shadow_access_large(address, size_bytes, word, site);
}

/* The current thread frees the bytes: this counts as a write; afterwards the cells are empty. */
void shadow_end(uintptr_t address, size_t size_bytes, uintptr_t code);

/* Empties the cells of the bytes. */
void shadow_clear(uintptr_t address, size_t size_bytes);

#endif
