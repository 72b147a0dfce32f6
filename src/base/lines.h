/*
 * lines.h: source lines as a build stores them: for each file its name and its lines, each ended by 0. Lines are "NUMBER CODE\n" in
 * ascending order; each wanted line is accompanied by the nearest lines of code on both sides (base/source.h).
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* Reads the next file at *at, which must be 0 at first: its name and its lines, both ended by 0. Returns false at the end and where the
 * data is damaged. */
bool lines_file(const struct buf *lines, size_t *at, const char **name, const char **text);

/* Reads the next line of such a text: its number and its code. Returns false at the end and where it is damaged. */
bool lines_next(const char **text, uint32_t *line, const char **code, size_t *size_bytes);

/* Appends the code of a line of a file, and of those around it, as source_code_excerpt does. Returns false, with
 * nothing appended, if the line is not there. */
bool lines_excerpt(const char *text, uint32_t line, struct buf *own, struct buf *around);

#endif
