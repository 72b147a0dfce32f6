/*
 * without.h: heddle test --without FILE:LINE: the calls on a line of the source that synchronise, in the program and in its woven libraries, as the runtime is told of them (without= in
 * HEDDLE_OPTIONS, world/sync/without.h), and how often they were skipped.
 *
 * A line is that of the call itself, or one that the call was inlined into, or one that calls functions of system headers (such as those of std::mutex) that lead to
 * the call and were not inlined.
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
	struct strings functions;    /* that are called there and skipped */
	struct strings refused;      /* that are called there and cannot be skipped, and why */
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

/* Looks for the lines (FILE:LINE) in the program. Returns 0, or a negative errno with err set: -EINVAL when one is wrong. Release it in
 * any case. */
int without_find(struct without *self, const struct strings *places, const char *program, struct err *err);
void without_release(struct without *self);

/* Adds what a schedule skipped. */
void without_take(struct without *self, const struct heddle_channel *channel);

/* The folder of the store for what is found without these lines: not that of the program's own findings. Caller frees. */
char *without_store(const struct strings *places, const char *store);

/* Appends lines for people about what was skipped. store: where findings are. */
void without_describe(const struct without *self, const char *store, struct strings *lines);

#endif
