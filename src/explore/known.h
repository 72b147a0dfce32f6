/*
 * known.h: the findings of detection that the tool already has, by the keys of their lines (struct heddle_channel,
 * known). Each run gets this set, so that it reports new findings by lines and the rest by bits. A finding that a run
 * had no room to report is remembered by its key until another run reports it.
 *
 * Invariants:
 *  1. A key stays in its slot, so a slot means the same finding in all runs in progress.
 *  2. The set never contains the key 0.
 */
#ifndef EXPLORE_KNOWN_H
#define EXPLORE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/abi.h"

#define MAX_KNOWN (HEDDLE_KNOWN / 4 * 3)

/* Start with { 0 }. */
struct known {
	uint64_t *keys;  /* [HEDDLE_KNOWN], as in the channel; null: no findings are known */
	uint64_t *again; /* [HEDDLE_KNOWN / 64], as in the channel */
	void **owned;    /* [HEDDLE_KNOWN]: the caller's, freed with free */
	uint32_t *slots; /* [count], in the order in which they were added */
	uint32_t count;
	uint64_t *lost; /* [lost_room]: a set by open addressing, of keys */
	size_t lost_count, lost_room;
	bool is_more_lost; /* more were lost than there was room for keys */
};

void known_release(struct known *self);

/* Adds a key with the caller's data, which the set owns from then on. If the key is already in the set or there is no
 * room, the data is freed. Returns the slot, or HEDDLE_KNOWN. */
uint32_t known_add(struct known *self, uint64_t key, void *owned);

/* Sets whether runs report it by a line nevertheless. */
void known_set_again(struct known *self, uint32_t slot, bool is_again);

/* Copies the keys that the channel of a run does not have yet into it. *given: how many keys it has; 0 at first;
 * updated. */
void known_put(const struct known *self, struct heddle_channel *channel, uint32_t *given);

/* Adds the keys for which a run had no room. */
void known_take_lost(struct known *self, const struct heddle_channel *channel);

/* Returns how many of these keys no run has reported since. */
size_t known_count_lost(const struct known *self);

#endif
