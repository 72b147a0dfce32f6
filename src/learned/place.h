/*
 * place.h: places. A *place* is an access as it is written in the source: its function, file, line and column, the
 * kind, size and variable of the access, and, if its function was inlined, the calls that it was inlined by. If the
 * compiler makes several sites of one access, for example by unrolling a loop, they are one place. Copies that were
 * inlined by different calls are different places, because often the code between two calls of a small function must
 * not be interrupted.
 *
 * The *key* of a place identifies it in any build and contains no line numbers. It consists of the function, the file
 * without its folder, the code of the line, the functions and the code of the calls, the kind and size of the access,
 * and the ordinal of the place among those for which all of these are equal.
 */
#ifndef LEARNED_PLACE_H
#define LEARNED_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_writer.h"
#include "base/mem.h"

/* It owns its strings. */
struct learned_place {
	char *function; /* linkage name; never null */
	char *file;     /* null: not known */
	char *variable; /* null: none */
	char *code;     /* of its line; "" when not known */
	/* Lines, innermost call first: the function that contains the inlined call, a blank, and the code of the call;
	 * "": none. */
	char *callers;
	uint32_t line, column, size, ordinal;
	uint8_t access;    /* enum heddle_access */
	bool is_marked;    /* some of its accesses were in marked code or to marked memory (heddle/heddle.h) */
	uint64_t accesses; /* in all trainings; 0: not counted */
};

/* Makes a copy with strings of its own. */
void learned_place_copy(struct learned_place *to, const struct learned_place *from);
void learned_place_release(struct learned_place *self);

/* Returns the name of the file without its folder, or "" if it is not known. It is part of the place. */
const char *learned_place_file(const struct learned_place *self);

/* Returns the key; the caller frees it. */
char *learned_place_key(const struct learned_place *self);

/* Writes the members that identify the place into the open JSON object. */
void learned_place_json(struct json_writer *out, const struct learned_place *self);

/* Appends "tickets.c:13 write left", escaped for a terminal. */
void learned_place_describe(struct buf *out, const struct learned_place *self);

#endif
