/* race_lines.h: reads the races from the report of a run, for planners, which need only their places. trace/report.h
 * reads the whole report. */
#ifndef EXPLORE_RACE_LINES_H
#define EXPLORE_RACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct race_line {
	char kinds[2][16]; /* of the accesses, as the runtime writes them */
	uint64_t places[2];
};

/* Reads the first race of the report at or after *at, and moves *at behind it. Set *at to 0 before the first call.
 * Returns false if there are no more races. */
bool race_lines_next(const char *report, size_t size_bytes, size_t *at, struct race_line *race);

#endif
