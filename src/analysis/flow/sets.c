/* sets.c: see sets.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/sets.h"
#include "base/mem.h"

void *flow_grow(void *rows, uint32_t count, uint32_t *room, size_t row_bytes)
{
	if (count < *room)
		return rows;
	*room = *room ? *room * 2 : 64;
	return mem_resize(rows, (size_t)*room * row_bytes);
}

void flow_ids_add(struct flow_ids *ids, uint32_t id)
{
	ids->items = flow_grow(ids->items, ids->count, &ids->room, sizeof *ids->items);
	ids->items[ids->count++] = id;
}

bool flow_ids_has(const struct flow_ids *ids, uint32_t id)
{
	for (uint32_t i = 0; i < ids->count; i++)
		if (ids->items[i] == id)
			return true;
	return false;
}

bool flow_ids_add_new(struct flow_ids *ids, uint32_t id)
{
	if (flow_ids_has(ids, id))
		return false;
	flow_ids_add(ids, id);
	return true;
}

void flow_ids_release(struct flow_ids *ids)
{
	free(ids->items);
	*ids = (struct flow_ids){ 0 };
}

bool flow_bits_add(uint64_t *to, const uint64_t *from, uint32_t words)
{
	uint64_t added = 0;
	for (uint32_t i = 0; i < words; i++) {
		added |= from[i] & ~to[i];
		to[i] |= from[i];
	}
	return added != 0;
}

bool flow_bits_are_empty(const uint64_t *set, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if (set[i])
			return false;
	return true;
}

/* ---- rows that are kept once ---- */

static uint32_t hash_words(const uint32_t *words, uint32_t count)
{
	uint64_t hash = 0x9e3779b97f4a7c15u ^ count;
	for (uint32_t i = 0; i < count; i++) {
		hash = (hash ^ words[i]) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 29;
	}
	return (uint32_t)(hash ^ hash >> 32);
}

static void rehash(struct flow_interned *table)
{
	uint32_t room = table->slot_room ? table->slot_room * 2 : 64;
	free(table->slots);
	table->slots = mem_alloc(room * sizeof *table->slots);
	table->slot_room = room;
	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t start = table->starts[i], at = hash_words(table->words + start, table->starts[i + 1] - start);
		while (table->slots[at & (room - 1)])
			at++;
		table->slots[at & (room - 1)] = i + 1;
	}
}

uint32_t flow_interned_add(struct flow_interned *table, const void *row, uint32_t words)
{
	if (table->count * 2 >= table->slot_room)
		rehash(table);
	uint32_t at = hash_words(row, words), slot;
	while ((slot = table->slots[at & (table->slot_room - 1)]) != 0) {
		uint32_t start = table->starts[slot - 1];
		if (table->starts[slot] - start == words &&
		    (!words || memcmp(table->words + start, row, words * sizeof(uint32_t)) == 0))
			return slot - 1;
		at++;
	}
	table->starts = flow_grow(table->starts, table->count + 1, &table->start_room, sizeof *table->starts);
	while (table->word_count + words + 1 > table->word_room) {
		table->word_room = table->word_room ? table->word_room * 2 : 256;
		table->words = mem_resize(table->words, table->word_room * sizeof *table->words);
	}
	table->starts[table->count] = table->word_count;
	if (words)
		memcpy(table->words + table->word_count, row, words * sizeof(uint32_t));
	table->word_count += words;
	table->starts[table->count + 1] = table->word_count;
	table->slots[at & (table->slot_room - 1)] = table->count + 1;
	return table->count++;
}

const uint32_t *flow_interned_row(const struct flow_interned *table, uint32_t number, uint32_t *words)
{
	if (words)
		*words = table->starts[number + 1] - table->starts[number];
	return table->words + table->starts[number];
}

void flow_interned_release(struct flow_interned *table)
{
	free(table->words);
	free(table->starts);
	free(table->slots);
	*table = (struct flow_interned){ 0 };
}
