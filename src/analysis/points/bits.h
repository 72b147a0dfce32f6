/*
 * bits.h: sparse sets of cells: words of 64 bits, those that are not zero, by number. Cells of one object have numbers
 * close to each other, and sets of pointers to many objects are much alike, so that most of the work is done 64 cells at
 * a time. Start with { 0 }.
 */
#ifndef ANALYSIS_POINTS_BITS_H
#define ANALYSIS_POINTS_BITS_H

#include <stdbool.h>
#include <stdint.h>

struct bits {
	uint32_t *keys; /* ascending: of which 64 items */
	uint64_t *words;
	uint32_t count, room;
};

/* Returns whether it is new. */
bool bits_add(struct bits *bits, uint32_t item);
/* The same for one that is more than all others. */
void bits_push(struct bits *bits, uint32_t item);
bool bits_has(const struct bits *bits, uint32_t item);
/* Adds all of `from`; what was new is added to fresh, too. Returns whether there was any. */
bool bits_join(struct bits *into, const struct bits *from, struct bits *fresh);
/* What is in a but not in b; appended to out, which is empty. */
void bits_without(const struct bits *a, const struct bits *b, struct bits *out);
/* What is in both; appended to out, which is empty. */
void bits_both(const struct bits *a, const struct bits *b, struct bits *out);
uint32_t bits_size(const struct bits *bits);
void bits_release(struct bits *bits);

/* Goes through the items in order: for (struct bits_at at = { bits }; bits_next(&at, &item);). The set must not change. */
struct bits_at {
	const struct bits *bits;
	uint32_t word;
	uint64_t rest;
	bool is_started;
};

static inline bool bits_next(struct bits_at *at, uint32_t *item)
{
	if (!at->is_started) {
		at->is_started = true;
		at->rest = at->bits->count ? at->bits->words[0] : 0;
	}
	while (!at->rest) {
		if (++at->word >= at->bits->count)
			return false;
		at->rest = at->bits->words[at->word];
	}
	*item = at->bits->keys[at->word] * 64 + (uint32_t)__builtin_ctzll(at->rest);
	at->rest &= at->rest - 1;
	return true;
}

#endif
