/*
 * line.h: lines of the source for people. A line may have HEDDLE_LINE_NEAR: the code there has no line of its own, and
 * this is the nearest one of its function. All lines in the tools, except those in JSON and in the store, are represented in this way; the
 * plain number is used only for lookup and printing.
 */
#ifndef SYMBOLS_LINE_H
#define SYMBOLS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_writer.h"
#include "heddle/abi.h"

static inline uint32_t line_number(uint32_t line)
{
	return line & ~HEDDLE_LINE_NEAR;
}

static inline bool line_is_near(uint32_t line)
{
	return line & HEDDLE_LINE_NEAR;
}

static inline uint32_t line_near(uint32_t number)
{
	return number ? number | HEDDLE_LINE_NEAR : 0;
}

/* The explanation in a report that has such lines, printed once. */
#define LINE_NOTE                                                                                                      \
	"\"near line N\", or \"~N\": the place has no line of its own, because the compiler merged several lines "     \
	"or there is no debug information (-g); N is the nearest known line in its function"

/* Appends, escaped for a terminal: "queue.c:12", "queue.c near line 12", or "queue.c" when the line is not known. */
void line_add(struct buf *out, const char *file, uint32_t line);

/* Adds members of a JSON object: "line":12, and then "is_near":true if it is. */
void line_add_json(struct json_writer *out, uint32_t line);

#endif
