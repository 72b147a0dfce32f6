/*
 * quote.h: a few lines of a source for a terminal, with the line that matters marked and the column in it pointed at.
 * What is in files is escaped. Sources are the files that exist now: one that was changed since the program was built
 * may have other lines. A line that is not the one that the program was built from is not quoted, and the report says
 * so.
 */
#ifndef NARRATE_QUOTE_H
#define NARRATE_QUOTE_H

#include <stdint.h>
#include <time.h>

#include "base/map.h"
#include "base/sources.h"
#include "narrate/layout.h"

/* The sources of a program; start with quotes_init. */
struct quotes {
	struct sources sources;
	struct timespec built; /* when the program was; 0: not known */
	struct map files;      /* by name: struct quoted */
	struct strings troubles, changed;
	struct strings elsewhere; /* paths of those that were not where they are named */
};

void quotes_init(struct quotes *self, const char *program);
/* The build was there before that time, in seconds since 1970: the program may have been built anew since. */
void quotes_built_before(struct quotes *self, int64_t seconds);
void quotes_release(struct quotes *self);

/* A place to quote. */
struct quote {
	const char *file;      /* as debug information names it; null: not known */
	uint32_t line, column; /* from 1; 0: not known */
	const char *code;      /* of the line, as the build had it (base/source.h); null: not known */
};

/* Appends the lines around the places, which are in one file, in one piece, each place's line marked. Nothing when the file
 * is not there, has no such line, or has another one there than the build had; where that is not known, when the file is newer than the
 * program. Returns whether something was. */
bool quotes_add(struct buf *out, struct quotes *self, const struct layout *layout, size_t indent,
		const struct quote *places, size_t count);

/* Appends a line with tabs as spaces, escaped. *column, a number of a byte from 1 or 0, becomes the column of a terminal that it is in. */
void quote_text(struct buf *out, const char *at, size_t size, uint32_t *column);

/* Whether both would be in one piece. */
bool quotes_is_near(const struct quote *a, const struct quote *b);

/* Appends a line for each file that should be quoted and does not exist, or cannot be quoted, was changed since, or was
 * found elsewhere than it is named, where it may be another one of that name. Each is reported once. */
void quotes_add_notes(struct buf *out, struct quotes *self, const struct layout *layout, size_t indent);

#endif
