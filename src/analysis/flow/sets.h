/*
 * sets.h: lists of numbers, tables of rows that are kept once, and sets of bits. They know nothing of programs.
 */
#ifndef ANALYSIS_FLOW_SETS_H
#define ANALYSIS_FLOW_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for one more row after count. */
void *flow_grow(void *rows, uint32_t count, uint32_t *room, size_t row_bytes);

struct flow_ids {
	uint32_t *items;
	uint32_t count, room;
};

void flow_ids_add(struct flow_ids *ids, uint32_t id);
bool flow_ids_has(const struct flow_ids *ids, uint32_t id);
bool flow_ids_add_new(struct flow_ids *ids, uint32_t id); /* false: it was there */
void flow_ids_release(struct flow_ids *ids);

/* Items of a table that are one after the other. */
struct flow_range {
	uint32_t first, count;
};

/* Rows of words, each kept once: the same row has the same number. */
struct flow_interned {
	uint32_t *words;
	uint32_t *starts; /* of each row, and one more */
	uint32_t count, word_count, word_room, start_room;
	uint32_t *slots; /* 1 + number */
	uint32_t slot_room;
};

uint32_t flow_interned_add(struct flow_interned *table, const void *row, uint32_t words);
const uint32_t *flow_interned_row(const struct flow_interned *table, uint32_t number,
				  uint32_t *words); /* words may be null */
void flow_interned_release(struct flow_interned *table);

/* Sets of bits, 64 in a word. */
static inline bool flow_bit_has(const uint64_t *set, uint32_t bit)
{
	return set[bit / 64] >> (bit % 64) & 1;
}

static inline void flow_bit_add(uint64_t *set, uint32_t bit)
{
	set[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* to |= from; whether that changed anything. */
bool flow_bits_add(uint64_t *to, const uint64_t *from, uint32_t words);
bool flow_bits_are_empty(const uint64_t *set, uint32_t words);

#endif
