/*
 * place.h: places. A *place* is an access as it is written: a function, a file, a line, a column, what kind of access of which size
 * to which variable, and by which calls its function was inlined, if it was. The compiler may make several sites of it, by unrolling: they are one place.
 * Copies that were inlined by different calls are different places: what is between two calls of a small function is often what should not be interrupted.
 * The *key* of a place identifies it in any build: it has no numbers of lines. It consists of the function, the file without its folder, the
 * code of the line, the functions and the code of the calls, the kind and size of the access, and the ordinal of the place among those that are equal in all that.
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
	char *callers; /* lines, innermost first: a function that the one before was inlined into, a blank, and the code of the call; "": none */
	uint32_t line, column, size, ordinal;
	uint8_t access;    /* enum heddle_access */
	bool is_marked;    /* some of its accesses were in marked code, or to marked memory (heddle/heddle.h) */
	uint64_t accesses; /* in all trainings; 0: not counted */
};

void learned_place_copy(struct learned_place *to, const struct learned_place *from);
void learned_place_release(struct learned_place *self);

/* The name of the file without its folder; "" when it is not known. */
const char *learned_place_file(const struct learned_place *self);

/* Caller frees. */
char *learned_place_key(const struct learned_place *self);

/* The members of an object that say which place it is. */
void learned_place_json(struct json_writer *out, const struct learned_place *self);

/* Appends "tickets.c:13 write left", escaped for a terminal. */
void learned_place_describe(struct buf *out, const struct learned_place *self);

#endif
