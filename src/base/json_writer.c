/* json_writer.c: see json_writer.h. */
#include "base/json_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

/* A level: what is open, and whether it has a value already. */
enum { IN_DOCUMENT, IN_OBJECT, IN_ARRAY, IN_STRING, HAS_VALUES = 4 };

static unsigned char *level(struct json_writer *self)
{
	return &self->levels[self->depth];
}

static bool is_in(const struct json_writer *self, int kind)
{
	return (self->levels[self->depth] & ~HAS_VALUES) == kind;
}

/* What comes before a value, or before the first of several members. */
static void separate(struct json_writer *self)
{
	if (is_in(self, IN_STRING))
		BUG("a value of JSON inside a string");
	if (is_in(self, IN_DOCUMENT) && *level(self) & HAS_VALUES)
		BUG("a second value in a document of JSON");
	if (*level(self) & HAS_VALUES)
		buf_add(self->out, ",", 1);
	if (self->has_line)
		buf_add(self->out, "\n", 1);
	self->has_line = false;
	*level(self) |= HAS_VALUES;
}

static void begin_value(struct json_writer *self, const char *key)
{
	if (is_in(self, IN_OBJECT) && !key)
		BUG("a member of an object of JSON without a key");
	if (!is_in(self, IN_OBJECT) && key)
		BUG("a key, \"%s\", outside an object of JSON", key);
	separate(self);
	if (key) {
		text_json(self->out, key);
		buf_add(self->out, ":", 1);
	}
}

static void open_level(struct json_writer *self, const char *key, int kind, const char *sign)
{
	begin_value(self, key);
	if (self->depth == JSON_WRITER_DEPTH)
		BUG("more than %u values of JSON inside each other", JSON_WRITER_DEPTH);
	self->depth++;
	*level(self) = (unsigned char)kind;
	buf_add(self->out, sign, 1);
}

static void close_level(struct json_writer *self, int kind, const char *sign)
{
	static const char *const words[] = { "nothing", "an object", "an array", "a string" };
	if (!is_in(self, kind))
		BUG("%s of JSON ends where %s is open", words[kind], words[*level(self) & ~HAS_VALUES]);
	if (self->has_line)
		BUG("a line without a value in JSON");
	self->depth--;
	buf_add(self->out, sign, 1);
}

void json_begin(struct json_writer *self, struct buf *out)
{
	self->out = out;
	self->depth = 0;
	self->has_line = false;
	self->levels[0] = IN_DOCUMENT;
}

void json_end(const struct json_writer *self)
{
	if (self->depth || !(self->levels[0] & HAS_VALUES) || self->has_line)
		BUG("a document of JSON ends with %u values open", self->depth);
}

void json_begin_file(struct json_writer *self, struct buf *out)
{
	json_begin(self, out);
	json_open_object(self, NULL);
}

void json_end_file(struct json_writer *self)
{
	json_close_object(self);
	json_end(self);
	buf_add_string(self->out, "\n");
}

void json_begin_report(struct json_writer *self, struct buf *out)
{
	json_begin_file(self, out);
	json_add_number(self, "heddle", 1);
}

void json_open_object(struct json_writer *self, const char *key)
{
	open_level(self, key, IN_OBJECT, "{");
}

void json_close_object(struct json_writer *self)
{
	close_level(self, IN_OBJECT, "}");
}

void json_open_array(struct json_writer *self, const char *key)
{
	open_level(self, key, IN_ARRAY, "[");
}

void json_close_array(struct json_writer *self)
{
	close_level(self, IN_ARRAY, "]");
}

void json_open_string(struct json_writer *self, const char *key)
{
	open_level(self, key, IN_STRING, "\"");
}

void json_close_string(struct json_writer *self)
{
	close_level(self, IN_STRING, "\"");
}

void json_add_string(struct json_writer *self, const char *key, const char *value)
{
	begin_value(self, key);
	text_json(self->out, value);
}

void json_add_format(struct json_writer *self, const char *key, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *value = mem_format_list(format, arguments);
	va_end(arguments);
	json_add_string(self, key, value);
	free(value);
}

void json_add_number(struct json_writer *self, const char *key, uint64_t value)
{
	begin_value(self, key);
	buf_format(self->out, "%" PRIu64, value);
}

void json_add_signed(struct json_writer *self, const char *key, int64_t value)
{
	begin_value(self, key);
	buf_format(self->out, "%" PRId64, value);
}

void json_add_decimal(struct json_writer *self, const char *key, double value, int digits)
{
	begin_value(self, key);
	buf_format(self->out, "%.*f", digits, value);
}

void json_add_bool(struct json_writer *self, const char *key, bool value)
{
	json_add_raw(self, key, value ? "true" : "false");
}

void json_add_null(struct json_writer *self, const char *key)
{
	json_add_raw(self, key, "null");
}

void json_add_strings(struct json_writer *self, const char *key, const struct strings *list)
{
	json_open_array(self, key);
	for (size_t i = 0; i < list->count; i++)
		json_add_string(self, NULL, list->items[i]);
	json_close_array(self);
}

void json_add_vector(struct json_writer *self, const char *key, char *const *items)
{
	json_open_array(self, key);
	for (; *items; items++)
		json_add_string(self, NULL, *items);
	json_close_array(self);
}

void json_add_raw(struct json_writer *self, const char *key, const char *text)
{
	if (!*text)
		BUG("a value of JSON that is nothing");
	begin_value(self, key);
	buf_add_string(self->out, text);
}

void json_add_members(struct json_writer *self, const struct buf *object)
{
	if (!is_in(self, IN_OBJECT))
		BUG("members of JSON outside an object");
	if (object->size < 2 || object->data[0] != '{' || object->data[object->size - 1] != '}')
		BUG("members of what is no object of JSON");
	if (object->size == 2)
		return;
	separate(self);
	buf_add(self->out, object->data + 1, object->size - 2);
}

void json_line(struct json_writer *self)
{
	self->has_line = true;
}
