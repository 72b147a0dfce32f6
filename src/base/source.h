/*
 * source.h: reads sources. Their names come from debug information, so they may name anything: nothing blocks, and
 * files that are too large or not text are refused with a reason. Also the code of lines: lines
 * without white space and comments.
 */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/mem.h"

#define MAX_SOURCE (64u << 20) /* bytes of a file that is read */

enum source_state {
	SOURCE_GOOD,
	SOURCE_MISSING, /* it does not exist or cannot be read */
	SOURCE_NO_FILE, /* a folder, a FIFO, a device */
	SOURCE_LARGE,
	SOURCE_NO_TEXT, /* it is full of zeros */
	SOURCE_EMPTY,
};

/* Start with { 0 }. */
struct source {
	struct buf text;
	size_t *starts; /* of lines; one more than there are */
	size_t line_count;
	struct timespec changed; /* when */
};

/* Reads the file. If the result is not SOURCE_GOOD it has no lines. Release it in any case. */
enum source_state source_read(struct source *self, const char *path);
void source_release(struct source *self);

/* For people: "is not there", "is no file"; "" for what is good. */
const char *source_trouble(enum source_state state);

/* Whether it was changed after that time: then its lines may not be those of a program that was built then. */
bool source_is_newer(const struct source *self, const struct timespec *built);

/* The line (from 1) without its end, and its size; null when there is none. */
const char *source_line(const struct source *self, uint64_t line, size_t *size_bytes);

/* The code of all lines of a source: white space is kept only where it separates two names; a comment counts as white space. Start with { 0 }. */
struct source_code {
	struct buf text;
	size_t *starts;
	size_t line_count;
};

void source_code_read(struct source_code *self, const struct source *source);
void source_code_release(struct source_code *self);

/* The code of a line (from 1), ended by 0; "" when there is none. */
const char *source_code_line(const struct source_code *self, uint64_t line);

/* The numbers of the nearest lines of code around a line, SOURCE_AROUND on each side; 0 where there is none; before[0] is the
 * farthest. */
#define SOURCE_AROUND 2u
void source_code_around(const struct source_code *self, uint64_t line, uint64_t before[SOURCE_AROUND],
			uint64_t after[SOURCE_AROUND]);

/* Appends the code of a line to own and that of the lines around it to around, each with a newline. Together they identify a place even
 * after lines have moved. */
void source_code_excerpt(const struct source_code *self, uint64_t line, struct buf *own, struct buf *around);

#endif
