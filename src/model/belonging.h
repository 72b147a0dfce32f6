/*
 * belonging.h: belonging sets, from histories. A history says, of an access, which places of other threads accessed the same cell before
 * it, the latest first, each once. The *remote predecessor* of the access is the first of them, or nil if there is none. Only
 * selected places are recorded later, so sets depend on the selection: then the predecessor is the first place of the list that is
 * selected. The *belonging set* of a place has all predecessors that its accesses had in correct runs.
 *
 * Invariants:
 *  1. The sets under a selection are those that a recorder would learn which observes only the selected places, as far as histories
 *     reach back.
 *     Assured by tests/unit/belonging.t.
 *  2. A place that needs nothing is in no set that is checked, and leaving it out changes none of them.
 *     Assured by tests/unit/belonging.t.
 */
#ifndef MODEL_BELONGING_H
#define MODEL_BELONGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Places are numbered from 1; 0 is nil. */
#define BELONGING_NIL 0u

struct belonging_history {
	uint32_t place;
	uint32_t count;
	const uint32_t *places; /* [count] */
	bool is_whole;          /* no other thread accessed the cell before the last of them; else that is not known */
};

struct belonging_histories {
	const struct belonging_history *items;
	size_t count;
};

/* Selects every place that touches a cell which two threads use: numbers[place] becomes its number among the selected ones, from 1, in
 * the order of places; 0: not selected. numbers has place_count + 1 elements. Returns how many are selected. */
uint32_t belonging_select(struct belonging_histories histories, uint32_t place_count, uint32_t *numbers);

/* The predecessor under a selection: its number, or BELONGING_NIL. Returns false when it is not known. */
bool belonging_predecessor(const struct belonging_history *history, const uint32_t *numbers, uint32_t *predecessor);

/* How many members all sets together have. pairs is room for as many elements as there are histories. */
size_t belonging_members(struct belonging_histories histories, const uint32_t *numbers, uint64_t *pairs);

/* Sets are rows of bits, one row for each selected place: bit 0 is nil, bit N the place with number N. */
size_t belonging_row_words(uint32_t selected_count);
bool belonging_has(const uint64_t *rows, size_t row_words, uint32_t number, uint32_t member);

/* Fills in the sets: selected_count rows, which must be zero. */
void belonging_sets(struct belonging_histories histories, const uint32_t *numbers, uint32_t selected_count,
		    uint64_t *sets);

/* What the recorder has to do at a place. */
enum belonging_duty {
	BELONGING_CHECK = 1u << 0,  /* compare the predecessor with the set */
	BELONGING_UPDATE = 1u << 1, /* remember the access */
};

/*
 * Decides what each selected place needs. duties has selected_count + 1 elements; neighbours is room for as many rows as the sets have. A set
 * that already has every place that was seen at the cells of its place, the place itself, and nil, need not be checked. One that may lack
 * members, because a predecessor of the place was not known, must not be checked. A place that was never
 * seen at a cell of a checked one need not be remembered.
 */
void belonging_duties(struct belonging_histories histories, const uint32_t *numbers, uint32_t selected_count,
		      const uint64_t *sets, uint64_t *neighbours, uint8_t *duties);

#endif
