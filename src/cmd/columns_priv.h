/* columns_priv.h: what the parts of columns.h share: which rows there are, and how they are drawn. */
#ifndef CMD_COLUMNS_PRIV_H
#define CMD_COLUMNS_PRIV_H

#include "cmd/columns.h"

enum row_kind {
	ROW_EVENT,
	ROW_FOLD,  /* several accesses */
	ROW_EXTRA, /* a mark that is no event */
	ROW_TURN,  /* the thread is preempted */
	ROW_GAP,   /* something is left out */
};

struct row {
	enum row_kind kind;
	uint32_t thread, next; /* next: who runs after a turn */
	size_t event, count;   /* from 0; how many are folded */
	const struct columns_mark *mark;
};

struct rows {
	const struct play *play;
	const struct columns_ask *ask;
	struct row *items;
	size_t count, room;
};

/* All rows of a range, in which accesses in a row become one. */
void rows_of_range(struct rows *self, struct columns_range range);

/* The rows that tell most about the marks, ask->rows_most at most. */
void rows_of_marks(struct rows *self);

#endif
