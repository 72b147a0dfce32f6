/*
 * describe.h: descriptions of sites, the same in every command: for people (escaped for a terminal) and as JSON.
 */
#ifndef SYMBOLS_DESCRIBE_H
#define SYMBOLS_DESCRIBE_H

#include "base/json_writer.h"
#include "base/text.h"
#include "symbols/names.h"
#include "symbols/woven.h"
#include "trace/report.h"

/* A woven file and the readable names of its functions. */
struct description {
	const struct woven *woven;
	struct names names;
};

extern const char *const heddle_plain_names[HEDDLE_PLAIN_COUNT]; /* for people */
extern const char *const heddle_plain_words[HEDDLE_PLAIN_COUNT]; /* for JSON; null for functions that are woven */
extern const char *const heddle_access_names[HEDDLE_ACCESS_COUNT];

/* "file:line:column", without unknown parts; "?" if nothing is known. */
void describe_place(struct buf *out, const char *file, uint32_t line, uint32_t column);

/* "read 4", "atomic exchange 8 seq_cst, acquire on failure", "write n volatile". */
void describe_access(struct buf *out, const struct heddle_site *site);

/* The linkage name of the function that the site is written in, which may have been inlined into another. */
const char *describe_written_in(const struct description *self, const struct woven_site *site);

/* The readable form of a linkage name, escaped for a terminal. */
void describe_function(struct buf *out, struct description *self, const char *linkage);

/* For each step of the inlining chain: prefix, "inlined at file:line:column in function", and a newline. */
void describe_inlining(struct buf *out, struct description *self, const struct woven_site *site, const char *prefix);

/* Add a JSON object to an array; with count, a site has that member too. */
void describe_site_json(struct json_writer *out, struct description *self, uint32_t id, const struct woven_site *site,
			const uint64_t *count);
void describe_function_json(struct json_writer *out, struct description *self, uint32_t id,
			    const struct woven_function *function);

/* 32 hexadecimal digits; as a JSON string. */
void describe_build(struct buf *out, const uint8_t id[16]);
void describe_build_json(struct json_writer *out, const char *key, const uint8_t id[16]);

/* Appends a description of inline assembly that is not understood, escaped. */
void describe_opaque(struct buf *out, const struct report_opaque *opaque);

#endif
