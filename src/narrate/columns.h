/*
 * columns.h: the interleaving of a run for people: one row per event, one column per thread, with what the thread does
 * and its place in the source. If a thread was preempted before the operation of an event, the event is shown where the
 * operation is done, when the thread continues.
 */
#ifndef NARRATE_COLUMNS_H
#define NARRATE_COLUMNS_H

#include "narrate/layout.h"
#include "narrate/timeline.h"

/* Which events to print, counted from 1; 0: not given. By default all of them, or the last ones if there are many. */
struct columns_range {
	uint64_t first, last;
};

/* A row that the report is about: it is always shown, never folded with others, and marked. */
struct columns_mark {
	uint64_t event; /* its place in the timeline, from 1 */
	const char *
		what; /* it is not an event itself but happened after that one, as malloc does: described in words; null: it is one */
	uint32_t thread; /* of one that is not an event */
	/* Where it is; for an event, set only when the event itself is in a library. */
	uint32_t line;
	const char *file; /* null: not known */
	const char *act;  /* "freed", "allocated": for readers without the text; null: neither */
	uint32_t site;    /* 1 + number of the finding's site that is here; 0: none */
};

struct columns_name {
	uint32_t thread;
	const char *name;
};

struct columns_request {
	struct columns_range range;
	const struct columns_mark *marks;
	size_t mark_count;
	size_t max_rows;   /* maximum number of rows, those most relevant to the marks; 0: all of the range */
	const char *title; /* of a short table, above it; null: none */
	size_t indent;
	const struct columns_name *names; /* of threads whose names the timeline does not know */
	size_t name_count;
};

/* Appends the table. Returns how many rows it has. */
size_t columns_add(struct buf *out, const struct timeline *timeline, const struct columns_request *request,
		   const struct layout *layout);

#endif
