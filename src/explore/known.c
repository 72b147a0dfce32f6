/* known.c: see known.h. */
#include "explore/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* Where it is, or where it would be. */
static uint32_t place_of(const struct known *self, uint64_t key)
{
	uint32_t at = (uint32_t)(key >> HEDDLE_KNOWN_SHIFT);
	while (self->keys[at] && self->keys[at] != key)
		at = (at + 1) % HEDDLE_KNOWN;
	return at;
}

void known_release(struct known *self)
{
	for (uint32_t i = 0; i < self->count; i++) {
		if (!self->keys[self->slots[i]])
			BUG("what was known in slot %u is gone", self->slots[i]);
		free(self->owned[self->slots[i]]);
	}
	free(self->keys);
	free(self->again);
	free(self->owned);
	free(self->slots);
	free(self->lost);
	*self = (struct known){ 0 };
}

uint32_t known_add(struct known *self, uint64_t key, void *owned)
{
	if (key && !self->keys) {
		self->keys = mem_alloc(HEDDLE_KNOWN * sizeof *self->keys);
		self->again = mem_alloc(HEDDLE_KNOWN / 64 * sizeof *self->again);
		self->owned = mem_alloc(HEDDLE_KNOWN * sizeof(void *));
		self->slots = mem_alloc(MAX_KNOWN * sizeof *self->slots);
	}
	uint32_t at = key ? place_of(self, key) : HEDDLE_KNOWN;
	if (!key || self->keys[at] || self->count == MAX_KNOWN) {
		free(owned);
		return HEDDLE_KNOWN;
	}
	if (self->owned[at])
		BUG("slot %u has no key and belongs to somebody", at);
	self->keys[at] = key;
	self->owned[at] = owned;
	self->slots[self->count++] = at;
	return at;
}

void known_set_again(struct known *self, uint32_t slot, bool is_again)
{
	const uint64_t bit = 1ul << slot % 64;
	if (!self->keys || slot >= HEDDLE_KNOWN || !self->keys[slot])
		BUG("nothing is known in slot %u", slot);
	self->again[slot / 64] = is_again ? self->again[slot / 64] | bit : self->again[slot / 64] & ~bit;
}

void known_put(const struct known *self, struct heddle_channel *channel, uint32_t *given)
{
	if (!self->count)
		return;
	if (*given > self->count)
		BUG("%u known ones were given, and there are %u", *given, self->count);
	for (; *given < self->count; ++*given) {
		const uint32_t slot = self->slots[*given];
		if (!self->keys[slot])
			BUG("a key of 0 is known, in slot %u", slot);
		channel->known[slot] = self->keys[slot];
	}
	memcpy(channel->known_again, self->again, sizeof channel->known_again);
	memset(channel->known_seen, 0, sizeof channel->known_seen);
	channel->known_count = self->count;
}

static void add_lost(struct known *self, uint64_t key)
{
	if (4 * (self->lost_count + 1) > 3 * self->lost_room) {
		uint64_t *old = self->lost;
		size_t old_room = self->lost_room;
		self->lost_room = old_room ? 2 * old_room : 64;
		self->lost = mem_alloc(self->lost_room * sizeof *self->lost);
		self->lost_count = 0;
		for (size_t i = 0; i < old_room; i++)
			if (old[i])
				add_lost(self, old[i]);
		free(old);
	}
	size_t at = key % self->lost_room;
	while (self->lost[at] && self->lost[at] != key)
		at = (at + 1) % self->lost_room;
	self->lost_count += !self->lost[at];
	self->lost[at] = key;
}

void known_take_lost(struct known *self, const struct heddle_channel *channel)
{
	uint64_t count = channel->lost_keys;
	self->is_more_lost |= count > HEDDLE_LOST_KEYS;
	for (uint64_t i = 0; i < count && i < HEDDLE_LOST_KEYS; i++)
		if (channel->lost[i])
			add_lost(self, channel->lost[i]);
}

size_t known_count_lost(const struct known *self)
{
	size_t count = 0;
	for (size_t i = 0; i < self->lost_room; i++)
		count += self->lost[i] && !(self->keys && self->keys[place_of(self, self->lost[i])]);
	return count;
}
