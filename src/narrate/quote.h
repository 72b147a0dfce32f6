/*
 * quote.h: a few lines of a source for a terminal, with the line that matters marked and the column in it pointed at.
 * What is in files is escaped. Sources are read as they are now, and may have changed since the program was built.
 * A line that differs from the one that the program was built from is not quoted, and the report mentions that.
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
/* The build of interest existed before that time, in seconds since 1970: the program may have been rebuilt since. */
void quotes_built_before(struct quotes *self, int64_t seconds);
void quotes_release(struct quotes *self);

/* A place to quote. */
struct quote {
	const char *file;      /* as debug information names it; null: not known */
	uint32_t line, column; /* from 1; 0: not known */
	const char *code;      /* of the line, as the build had it (base/source.h); null: not known */
};

/* Appends the lines around the places, which are in one file, in one piece, each place's line marked. Appends nothing if the file
 * does not exist or has no such line, or if the line differs from the build's; if that is not known, if the file is newer than the
 * program. Returns whether anything was appended. */
bool quotes_add(struct buf *out, struct quotes *self, const struct layout *layout, size_t indent,
		const struct quote *places, size_t count);

/* Appends a line with tabs as spaces, escaped. *column, the number of a byte from 1, or 0, becomes the corresponding terminal column. */
void quote_text(struct buf *out, const char *at, size_t size, uint32_t *column);

/* Whether both would be quoted in one piece. */
bool quotes_is_near(const struct quote *a, const struct quote *b);

/* Appends a line for each file that should be quoted and does not exist, or cannot be quoted, was changed since, or was
 * found elsewhere than named, and so may be a different file of that name. Each is reported once. */
void quotes_add_notes(struct buf *out, struct quotes *self, const struct layout *layout, size_t indent);

#endif
