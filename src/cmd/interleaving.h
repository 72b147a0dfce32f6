/*
 * interleaving.h: the part of a run that matters for a finding, as rows: who did what, in which order, around the accesses that
 * made it. For reports that are read without Heddle.
 */
#ifndef CMD_INTERLEAVING_H
#define CMD_INTERLEAVING_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* An event that matters: by its number, or when that is 0 the last one of the thread that is at that place at the end of the run.
 * Of several the thread of that number; another one may be there when the trace is not of the run that told the number. */
struct interleaving_mark {
	uint64_t event; /* from 1 */
	uint32_t thread, line;
	const char *file; /* null: not known */
};

/*
 * Replays the trace and appends JSON, two members of an object: "threads", names by number, and "interleaving", the rows around the
 * marks, or when there are none the last ones (docs/FORMATS.md). The number of a mark is the number of the site there. Returns 0;
 * or a negative errno with err set and nothing appended, -EFBIG when the run has too many events to look at.
 */
int interleaving_json(struct buf *out, const char *trace, const struct interleaving_mark *marks, size_t count,
		      struct err *err);

#endif
