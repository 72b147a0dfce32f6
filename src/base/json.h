/*
 * json.h: reads JSON (RFC 8259) into a tree. The text may come from anywhere: invalid JSON is refused with the line of
 * the error, and the nesting depth is limited. Writing needs no tree: see json_writer.h.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* Children are in items, in the order of the text. */
struct json {
	enum json_kind kind;
	char *key; /* of a member of an object */
	char *text; /* of a string: UTF-8, with U+FFFD for what cannot be in a string of C; of a number: as it was written */
	struct json *items;
	size_t count;
};

/* Parses one value with nothing but white space around it. Returns 0 with *tree set, which the caller frees with json_free;
 * or -EINVAL with err set. */
int json_parse(struct json **tree, const char *text, size_t size_bytes, struct err *err);
void json_free(struct json *tree);

/* The member of that name, the first if there are several; null if there is none or if object is not an object. */
const struct json *json_member(const struct json *object, const char *name);

/* The same by kind. A member of another kind counts as missing: null, 0, false, null. */
const char *json_string(const struct json *object, const char *name);
uint64_t json_number(const struct json *object, const char *name);
bool json_is_true(const struct json *object, const char *name);
const struct json *json_array(const struct json *object, const char *name);

/* The number of items of an array; 0 for null. */
size_t json_count(const struct json *array);

#endif
