/*
 * columns.h: the interleaving of a run for people: one row an event, one column a thread, with what the thread does and
 * where that is written.
 */
#ifndef CMD_COLUMNS_H
#define CMD_COLUMNS_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/report.h"
#include "trace/events.h"

/* Which events to print, counted from 1; 0: not said. Then all of them, or the last ones when there are many. */
struct columns_range {
	uint64_t first, last;
};

/* Prints. width: of the terminal; 0: not known. Returns 0, or a negative errno with err set. */
int columns_print(FILE *to, struct events *events, const struct report *report, struct columns_range range,
		  unsigned width, struct err *err);

#endif
