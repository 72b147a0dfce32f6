/*
 * without.h: heddle test --without FILE:LINE: finds the synchronising calls on a source line, in the program and in its
 * woven libraries, passes them to the runtime (without= in HEDDLE_OPTIONS, world/sync/without.h), and counts how often
 * they were skipped.
 *
 * A line matches if the call is written there, if the call was inlined there, or if the line calls a function of a
 * system header (such as one of std::mutex) that was not inlined and makes the call.
 */
#ifndef CAMPAIGN_WITHOUT_H
#define CAMPAIGN_WITHOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "heddle/abi.h"

struct without_line {
	char *file; /* as given */
	uint32_t line;
	char *place;                 /* as given: "queue.c:31" */
	char *found;                 /* the file, as reports name it; null: none yet */
	struct strings functions;    /* called there and skipped */
	struct strings refused;      /* called there but cannot be skipped, with the reason */
	uint64_t skipped, schedules; /* calls, and schedules with at least one */
};

/* Start with { 0 }. */
struct without {
	struct without_line *lines;
	size_t count;
	uint32_t owners[HEDDLE_SKIPS]; /* the line of each address, by its number in options */
	uint32_t address_count;
	struct buf options; /* for HEDDLE_OPTIONS: ":without=..." */
};

/* Finds the lines (FILE:LINE) in the program. Returns 0, or a negative errno with err set: -EINVAL when one is wrong.
 * Call without_release in any case. */
int without_find(struct without *self, const struct strings *places, const char *program, struct err *err);
void without_release(struct without *self);

/* Adds the counts of a schedule. */
void without_take(struct without *self, const struct heddle_channel *channel);

/* Returns the folder of the store for findings without these lines, which is separate from the store of the program's
 * own findings. The caller frees it. */
char *without_store(const struct strings *places, const char *store);

/* Appends lines that describe what was skipped. store: where the findings are. */
void without_describe(const struct without *self, const char *store, struct strings *lines);

#endif
