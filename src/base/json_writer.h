/*
 * json_writer.h: writes JSON (RFC 8259) at the end of a buffer, piece by piece, without a tree. The writer adds commas,
 * colons, quotes and escapes; callers supply the values. There is no pretty-printing, but json_line may put a value on
 * its own line, so that documents with many rows can be read and compared.
 *
 * Each function that adds a value takes its key: required inside an object, and null in an array and for the whole
 * document.
 *
 *  1. A document is one value. Each object, array and string that is opened is closed, in the opposite order and as what it is.
 *  2. A value in an object has a key, and no other value has one.
 *
 * A caller that breaks these rules is faulty, so that ends in BUG: only valid JSON is ever written. The buffer may be
 * emptied at any time, as the writer never reads what it wrote; so a document may be larger than memory.
 */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* More than what the reader takes (json.h). */
#define JSON_WRITER_DEPTH 128u

/* Caller's storage; nothing to release, as the buffer is the caller's. The members are the writer's, but out may be used to append the
 * content of a string that is open. */
struct json_writer {
	struct buf *out;
	unsigned depth;
	bool has_line;                               /* the next value begins a line */
	unsigned char levels[JSON_WRITER_DEPTH + 1]; /* levels[0]: the document */
};

/* Starts a document at the end of out. */
void json_begin(struct json_writer *self, struct buf *out);

/* The document is complete, or this is a BUG. */
void json_end(const struct json_writer *self);

/* The same for a file, which is an object and a newline behind it. */
void json_begin_file(struct json_writer *self, struct buf *out);
void json_end_file(struct json_writer *self);

/* A file in a format of Heddle's: its first member is the version of the format. json_end_file ends it. */
void json_begin_report(struct json_writer *self, struct buf *out);

void json_open_object(struct json_writer *self, const char *key);
void json_close_object(struct json_writer *self);
void json_open_array(struct json_writer *self, const char *key);
void json_close_array(struct json_writer *self);

/* A string whose content the caller appends to self->out: text that needs no escapes, such as digits. */
void json_open_string(struct json_writer *self, const char *key);
void json_close_string(struct json_writer *self);

/* A string, escaped as text_json does it; null becomes null. */
void json_add_string(struct json_writer *self, const char *key, const char *value);
void json_add_format(struct json_writer *self, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void json_add_number(struct json_writer *self, const char *key, uint64_t value);
void json_add_signed(struct json_writer *self, const char *key, int64_t value);
void json_add_decimal(struct json_writer *self, const char *key, double value,
		      int digits); /* after the decimal point */
void json_add_bool(struct json_writer *self, const char *key, bool value);
void json_add_null(struct json_writer *self, const char *key);

/* An array of strings: of a vector, or up to a null pointer. */
void json_add_strings(struct json_writer *self, const char *key, const struct strings *list);
void json_add_vector(struct json_writer *self, const char *key, char *const *items);

/* A value that is JSON already. */
void json_add_raw(struct json_writer *self, const char *key, const char *text);

/* The members of an object that is JSON already, as members of the one that is open. */
void json_add_members(struct json_writer *self, const struct buf *object);

/* The next value begins a line. */
void json_line(struct json_writer *self);

#endif
