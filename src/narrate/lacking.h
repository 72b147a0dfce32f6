/*
 * lacking.h: findings that are reported without a part, and why. Those that lack the same part for the same reason share one
 * note, with their count and their ids. Not for use by two threads.
 */
#ifndef NARRATE_LACKING_H
#define NARRATE_LACKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define LACKING_STACKS "stacks"
#define LACKING_INTERLEAVING "the interleaving"

struct lacking_group {
	const char *part;
	char *why;
	struct buf ids;
	size_t count;
};

/* Start with { 0 }. */
struct lacking {
	struct lacking_group *groups;
	size_t count;
};

/* The finding H<number> lacks the part, which is one of the above; why is copied. */
void lacking_add(struct lacking *self, const char *part, const char *why, uint64_t number);

/* Adds one note for each group, and releases them: *self is { 0 } again. */
void lacking_note(struct lacking *self, struct strings *notes);

#endif
