/*
 * source.h: lines of C and C++ sources without what does not matter: white space, comments, where they are in the file.
 */
#ifndef STORE_SOURCE_H
#define STORE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/mem.h"

/*
 * Appends the line (from 1) to *own, and the nearest lines around it that have code, two before and two after, to *around.
 * Returns false, with nothing appended, when the file cannot be read, has no such line, or was changed after built: then
 * its lines are not those of the program.
 */
bool source_lines(const char *path, uint32_t line, const struct timespec *built, struct buf *own, struct buf *around);

#endif
