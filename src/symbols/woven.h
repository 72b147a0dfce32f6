/*
 * woven.h: reads the tables of a woven program or library from its file. Section headers are not needed, so stripped
 * files work. The file is not trusted: woven_open checks every distance, count, string and chain once, so that the
 * functions after it cannot fail. Strings are as in the file: escape them before printing. Not for use by two threads.
 */
#ifndef SYMBOLS_WOVEN_H
#define SYMBOLS_WOVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "heddle/abi.h"

struct woven;
struct buf;

#define WOVEN_NONE UINT32_MAX

/* Strings live as long as the struct woven; null when the file has none. Names of sources are as path_view_display has them. */
struct woven_function {
	struct heddle_function record;
	const char *name; /* linkage name; never null */
	const char *file;
	uint32_t first_site; /* WOVEN_NONE when it has no sites */
};

struct woven_site {
	struct heddle_site record;
	const char *file, *variable;
	const char *locks; /* names of those that the proof of HEDDLE_SITE_LOCKED rests on; null: none, or not known */
	uint64_t bits; /* with HEDDLE_SITE_BITS: those of the value that are used, from the first byte on; else all */
	uint32_t function; /* index of the function that the site was compiled into */
	uint32_t inlined;  /* index of a woven_inline, or WOVEN_NONE */
};

struct woven_inline {
	const char *function; /* never null */
	const char *file;
	uint32_t line, column;
	uint32_t next; /* index, or WOVEN_NONE */
};

/* Bytes of machine code, from the section headers; is_known is false when there are none. */
struct woven_code {
	bool is_known;
	uint64_t clone_bytes, other_bytes;
};

/* Returns 0 with *woven set (woven_free it), or a negative errno with err set: message and hint explain what is
 * wrong with the file. */
int woven_open(const char *path, struct woven **woven, struct err *err);
void woven_free(struct woven *woven);
void woven_free_value(void *woven); /* the same, for map_release_values */

const struct heddle_build *woven_build(const struct woven *woven);
struct woven_code woven_code(const struct woven *woven);

/* Sizes of the tables. Some records are placeholders; the functions below return false for those. */
uint32_t woven_function_count(const struct woven *woven);
uint32_t woven_site_count(const struct woven *woven);
bool woven_function(const struct woven *woven, uint32_t index, struct woven_function *function);
bool woven_site(const struct woven *woven, uint32_t index, struct woven_site *site);

/* What the calls in a line lock or wait for (enum heddle_named), in the words of the source; null when that is not known, or the line
 * has several, also when not all of them have a name. */
const char *woven_name(const struct woven *woven, const char *file, uint32_t line, enum heddle_named kind);

/* The index of the site whose record is at that address (as in the program headers), or WOVEN_NONE. */
uint32_t woven_site_at(const struct woven *woven, uint64_t address);
/* The reverse: the site must exist. */
uint64_t woven_site_address(const struct woven *woven, uint32_t index);
void woven_inline(const struct woven *woven, uint32_t index, struct woven_inline *step);

/* A relative name from debug information may be relative to more than it should: the source of the table of lines whose name is the
 * end of that name; null when there is none. */
const char *woven_source(const struct woven *woven, const char *name);

/* Appends the code of a line and of those around it, as source_code_excerpt does, as it was when the program was built. False, with nothing
 * appended, when the table of lines does not have it. */
bool woven_line(const struct woven *woven, const char *file, uint32_t line, struct buf *own, struct buf *around);

/* The lines that a unit has of a file, for lines_next; those of the next unit with each call, null after the last. *at must be 0 at first. */
const char *woven_text(const struct woven *woven, const char *file, size_t *at);

#endif
