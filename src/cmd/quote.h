/*
 * quote.h: a few lines of a source for a terminal, with the line that matters marked and the column in it pointed at. What
 * is in files is escaped. Sources are those beside the program now: one that was changed since the program was built may
 * have other lines, and that is said.
 */
#ifndef CMD_QUOTE_H
#define CMD_QUOTE_H

#include <stdint.h>
#include <time.h>

#include "base/map.h"
#include "base/sources.h"
#include "cmd/paper.h"

/* The sources of a program; start with quotes_init. */
struct quotes {
	struct sources sources;
	struct timespec built; /* when the program was; 0: not known */
	struct map files;      /* by name: struct source */
	struct strings troubles, changed;
	struct strings elsewhere; /* paths of those that were not where they are named */
};

void quotes_init(struct quotes *self, const char *program);
void quotes_release(struct quotes *self);

/* A place to quote. */
struct quote {
	const char *file;      /* as debug information names it; null: not known */
	uint32_t line, column; /* from 1; 0: not known */
};

/* Appends the lines around the places, which are in one file, in one piece, each place's line marked. Nothing when the file
 * is not there or has no such line. Returns whether something was. */
bool quotes_add(struct buf *out, struct quotes *self, const struct paper *paper, size_t indent,
		const struct quote *places, size_t count);

/* Whether both would be in one piece. */
bool quotes_is_near(const struct quote *a, const struct quote *b);

/* Appends a line for each file that was to be quoted and is not there, or cannot be quoted, was changed since, or was found elsewhere
 * than it is named, where it may be another one of that name. Each is told once. */
void quotes_tell(struct buf *out, struct quotes *self, const struct paper *paper, size_t indent);

#endif
