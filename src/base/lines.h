/*
 * lines.h: the code of lines of sources, as a build keeps it: for each file its name and its lines, each ended by 0. Lines are "NUMBER
 * CODE\n" in ascending order; with each that is wanted go the nearest ones with code on both sides of it (base/source.h).
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* The next file at *at, which starts with 0: its name and its lines, both ended by 0. False at the end, and where it is damaged. */
bool lines_file(const struct buf *lines, size_t *at, const char **name, const char **text);

/* Appends the code of a line of a file, and of those around it, as source_code_excerpt does. False, with nothing appended, when it is not
 * there. */
bool lines_excerpt(const char *text, uint32_t line, struct buf *own, struct buf *around);

#endif
