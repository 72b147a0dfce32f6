/*
 * table.h: what the tables of points-to are made of: rows that grow, and an index from small tuples to numbers.
 */
#ifndef ANALYSIS_POINTS_TABLE_H
#define ANALYSIS_POINTS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/program/whole.h"

#define NONE WHOLE_NONE

/* An array of count times NONE. */
uint32_t *table_of_none(uint32_t count);
/* Room for one more row in an array. */
void *table_grow(void *rows, uint32_t count, uint32_t *room, size_t row_bytes);

/* Keys of different kinds are different. Each kind is in the index of one table only. */
enum index_kind { INDEX_CELL, INDEX_VALUE_LOAD, INDEX_VALUE_OFFSET, INDEX_MOVE, INDEX_STORE, INDEX_SUM };

struct index_key {
	uint32_t kind, a;
	int64_t b, c, d;
};

/* Start with { 0 }. */
struct index {
	struct index_key *keys;
	uint32_t *values; /* NONE: the slot is free */
	uint32_t count, room;
};

/* The number of the key, which is added with the value NONE if it is not there yet. Valid until the next call. */
uint32_t *index_slot(struct index *index, const struct index_key *key);
uint32_t index_find(const struct index *index, const struct index_key *key);
void index_release(struct index *index);

#endif
