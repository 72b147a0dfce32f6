/* columns_priv.h: what the parts of columns.h share: which rows there are, and how they are drawn. */
#ifndef NARRATE_COLUMNS_PRIV_H
#define NARRATE_COLUMNS_PRIV_H

#include "narrate/columns.h"
#include "symbols/stack.h"

enum row_kind {
	ROW_EVENT,
	ROW_FOLD,  /* several accesses */
	ROW_EXTRA, /* a mark that is not an event */
	ROW_TURN,  /* the thread is preempted, or yields */
	ROW_GAP,   /* something is left out */
};

struct row {
	enum row_kind kind;
	uint32_t thread, next; /* next: the thread of the next row after a turn */
	bool is_yield;         /* of a turn */
	size_t event, count;   /* from 0; how many are folded, or left out */
	const struct columns_mark *mark;
};

struct rows {
	const struct timeline *timeline;
	const struct columns_request *request;
	struct row *items;
	size_t count, room;
	size_t left_out; /* events before the first row of a short table */
};

/* All rows of a range; consecutive accesses are folded into one row. */
void rows_of_range(struct rows *self, struct columns_range range);

/* The rows most relevant to the marks, request->max_rows at most. */
void rows_of_marks(struct rows *self);

/* Appends what the thread does in a row, without the place, escaped for a terminal; not for turns and gaps. */
void rows_describe_event(struct buf *out, const struct rows *self, const struct row *row);

/* The source place of a row: the file, null when it is not known, and *line. For several accesses it is that of the
 * first; for a mark in a library it is the place that called it. */
const char *rows_place(const struct rows *self, const struct row *row, uint32_t *line);

/* Appends the name of a thread, escaped, or nothing. */
void rows_name_thread(struct buf *out, const struct rows *self, struct unwinder *unwinder, struct symbols *symbols,
		      uint32_t thread);

#endif
