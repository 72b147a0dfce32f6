/* bits.c: see analysis/points/bits.h. */
#include "analysis/points/bits.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The first word whose key is not less. */
static uint32_t place_of(const struct bits *bits, uint32_t key)
{
	uint32_t low = 0, high = bits->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (bits->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Keys and words are in one block. */
static void make_room(struct bits *bits, uint32_t count)
{
	if (count <= bits->room)
		return;
	uint32_t room = bits->room ? bits->room * 2 : 2;
	if (room < count)
		room = count;
	uint64_t *words = mem_alloc(room * (sizeof *words + sizeof *bits->keys));
	uint32_t *keys = (uint32_t *)(words + room);
	if (bits->count) {
		memcpy(words, bits->words, bits->count * sizeof *words);
		memcpy(keys, bits->keys, bits->count * sizeof *keys);
	}
	free(bits->words);
	bits->words = words;
	bits->keys = keys;
	bits->room = room;
}

static void append(struct bits *bits, uint32_t key, uint64_t word)
{
	make_room(bits, bits->count + 1);
	bits->keys[bits->count] = key;
	bits->words[bits->count++] = word;
}

bool bits_add(struct bits *bits, uint32_t item)
{
	uint32_t key = item / 64, at = place_of(bits, key);
	uint64_t bit = (uint64_t)1 << item % 64;
	if (at < bits->count && bits->keys[at] == key) {
		bool is_new = !(bits->words[at] & bit);
		bits->words[at] |= bit;
		return is_new;
	}
	make_room(bits, bits->count + 1);
	memmove(bits->keys + at + 1, bits->keys + at, (bits->count - at) * sizeof *bits->keys);
	memmove(bits->words + at + 1, bits->words + at, (bits->count - at) * sizeof *bits->words);
	bits->keys[at] = key;
	bits->words[at] = bit;
	bits->count++;
	return true;
}

void bits_push(struct bits *bits, uint32_t item)
{
	if (bits->count && bits->keys[bits->count - 1] == item / 64)
		bits->words[bits->count - 1] |= (uint64_t)1 << item % 64;
	else
		append(bits, item / 64, (uint64_t)1 << item % 64);
}

bool bits_has(const struct bits *bits, uint32_t item)
{
	uint32_t at = place_of(bits, item / 64);
	return at < bits->count && bits->keys[at] == item / 64 && bits->words[at] >> item % 64 & 1;
}

/* From the back, so that nothing is overwritten before it is moved. `missing` keys of from are not in into. */
static void join_keys(struct bits *into, const struct bits *from, uint32_t missing)
{
	make_room(into, into->count + missing);
	uint32_t a = into->count, b = from->count, to = into->count + missing;
	into->count = to;
	while (b) {
		if (a && into->keys[a - 1] > from->keys[b - 1]) {
			a--;
			to--;
			into->keys[to] = into->keys[a];
			into->words[to] = into->words[a];
			continue;
		}
		uint64_t word = from->words[--b];
		to--;
		if (a && into->keys[a - 1] == from->keys[b])
			word |= into->words[--a];
		into->keys[to] = from->keys[b];
		into->words[to] = word;
	}
}

bool bits_join(struct bits *into, const struct bits *from, struct bits *fresh)
{
	uint32_t missing = 0, at = 0;
	bool is_changed = false, is_sparse = from->count * 8 < into->count;
	struct bits found = { 0 };
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t key = from->keys[i];
		if (is_sparse)
			at = place_of(into, key);
		else
			while (at < into->count && into->keys[at] < key)
				at++;
		bool is_here = at < into->count && into->keys[at] == key;
		uint64_t new_bits = is_here ? from->words[i] & ~into->words[at] : from->words[i];
		missing += !is_here;
		if (!new_bits)
			continue;
		is_changed = true;
		if (is_here)
			into->words[at] |= new_bits;
		if (fresh)
			append(&found, key, new_bits);
	}
	if (missing)
		join_keys(into, from, missing);
	if (fresh && is_changed && !fresh->count) {
		bits_release(fresh);
		*fresh = found;
	} else if (fresh) {
		if (is_changed)
			bits_join(fresh, &found, NULL);
		bits_release(&found);
	}
	return is_changed;
}

void bits_without(const struct bits *a, const struct bits *b, struct bits *out)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < a->count; i++) {
		while (at < b->count && b->keys[at] < a->keys[i])
			at++;
		uint64_t word = a->words[i];
		if (at < b->count && b->keys[at] == a->keys[i])
			word &= ~b->words[at];
		if (word)
			append(out, a->keys[i], word);
	}
}

void bits_both(const struct bits *a, const struct bits *b, struct bits *out)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < a->count; i++) {
		while (at < b->count && b->keys[at] < a->keys[i])
			at++;
		if (at < b->count && b->keys[at] == a->keys[i] && (a->words[i] & b->words[at]))
			append(out, a->keys[i], a->words[i] & b->words[at]);
	}
}

uint32_t bits_size(const struct bits *bits)
{
	uint32_t size = 0;
	for (uint32_t i = 0; i < bits->count; i++)
		size += (uint32_t)__builtin_popcountll(bits->words[i]);
	return size;
}

void bits_release(struct bits *bits)
{
	free(bits->words);
	*bits = (struct bits){ 0 };
}
