/*
 * build.h: the places of a build. A *place* is an access as it is written: a function, a file, a line, a column, what kind of access of
 * which size to which variable. The compiler may make several sites of it, by unrolling and inlining: they are one place.
 * The *key* of a place identifies it in any build: it has no numbers of lines. It consists of the function, the file without its folder, the
 * code of the line, the kind and size of the access, and the ordinal of the place among those that are equal in all that.
 */
#ifndef LEARNED_BUILD_H
#define LEARNED_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "symbols/woven.h"

struct build_place {
	char *key;
	const char *function; /* linkage name */
	const char *file;     /* null: not known */
	const char *variable; /* null: none */
	char *code;           /* of its line; "" when not known */
	uint32_t line, column, size, ordinal;
	uint8_t access; /* enum heddle_access */
};

struct build {
	char *path;
	struct woven *woven;
	struct build_place *places;
	uint32_t place_count;
	uint32_t *of_site; /* by site: the index of its place, or BUILD_NONE */
	uint32_t site_count;
};

#define BUILD_NONE UINT32_MAX

/* The key of a place that has all else; caller frees. */
char *build_key(const struct build_place *place);

/* Opens a woven file. Returns 0, or a negative errno with err set; then there is nothing to release. */
int build_open(struct build *self, const char *path, struct err *err);
void build_release(struct build *self);

/* The build id of its tables. */
const uint8_t *build_id(const struct build *self);

#endif
