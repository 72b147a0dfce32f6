/* table.c: see analysis/points/table.h. */
#include "analysis/points/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

static uint64_t hash(const struct index_key *key)
{
	uint64_t hash = ((uint64_t)key->kind << 32 | key->a) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 29 ^ (uint64_t)key->b) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 31 ^ (uint64_t)key->c) * 0x94d049bb133111ebu;
	hash = (hash ^ hash >> 30 ^ (uint64_t)key->d) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static bool is_equal(const struct index_key *a, const struct index_key *b)
{
	return a->kind == b->kind && a->a == b->a && a->b == b->b && a->c == b->c && a->d == b->d;
}

static uint32_t place_of(const struct index *index, const struct index_key *key, bool *is_found)
{
	uint32_t mask = index->room - 1, at = (uint32_t)hash(key) & mask;
	while (index->keys[at].kind != UINT32_MAX && !is_equal(&index->keys[at], key))
		at = (at + 1) & mask;
	*is_found = index->keys[at].kind != UINT32_MAX;
	return at;
}

static void grow(struct index *index)
{
	struct index old = *index;
	index->room = old.room ? old.room * 2 : 1024;
	index->keys = mem_alloc(index->room * sizeof *index->keys);
	index->values = mem_alloc(index->room * sizeof *index->values);
	for (uint32_t i = 0; i < index->room; i++)
		index->keys[i].kind = UINT32_MAX;
	for (uint32_t i = 0; i < old.room; i++) {
		if (old.keys[i].kind == UINT32_MAX)
			continue;
		bool is_found;
		uint32_t at = place_of(index, &old.keys[i], &is_found);
		index->keys[at] = old.keys[i];
		index->values[at] = old.values[i];
	}
	free(old.keys);
	free(old.values);
}

uint32_t *index_slot(struct index *index, const struct index_key *key)
{
	if ((uint64_t)index->count * 3 >= (uint64_t)index->room * 2)
		grow(index);
	bool is_found;
	uint32_t at = place_of(index, key, &is_found);
	if (!is_found) {
		index->keys[at] = *key;
		index->values[at] = NONE;
		index->count++;
	}
	return &index->values[at];
}

uint32_t index_find(const struct index *index, const struct index_key *key)
{
	if (!index->room)
		return NONE;
	bool is_found;
	uint32_t at = place_of(index, key, &is_found);
	return is_found ? index->values[at] : NONE;
}

void index_release(struct index *index)
{
	free(index->keys);
	free(index->values);
	memset(index, 0, sizeof *index);
}

void *table_grow(void *rows, uint32_t count, uint32_t *room, size_t row_bytes)
{
	if (count < *room)
		return rows;
	if (count >= NONE / 2)
		BUG("points-to: more than 2 billion rows in one table");
	*room = *room ? *room * 2 : 256;
	return mem_resize(rows, (size_t)*room * row_bytes);
}

uint32_t *table_of_none(uint32_t count)
{
	uint32_t *items = mem_alloc((count + 1) * sizeof *items);
	memset(items, 0xff, (count + 1) * sizeof *items);
	return items;
}
