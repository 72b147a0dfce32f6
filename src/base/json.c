/* json.c: see json.h. */
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_DEPTH 100u

struct parser {
	const char *start, *at, *end;
	const char *wrong; /* what is expected there; null: nothing is wrong */
	unsigned depth;
};

static bool fail(struct parser *self, const char *wanted)
{
	if (!self->wrong)
		self->wrong = wanted;
	return false;
}

static void skip_space(struct parser *self)
{
	while (self->at < self->end &&
	       (*self->at == ' ' || *self->at == '\t' || *self->at == '\n' || *self->at == '\r'))
		self->at++;
}

static bool take(struct parser *self, char wanted)
{
	skip_space(self);
	if (self->at == self->end || *self->at != wanted)
		return false;
	self->at++;
	return true;
}

static bool take_word(struct parser *self, const char *word)
{
	size_t size = strlen(word);
	if ((size_t)(self->end - self->at) < size || memcmp(self->at, word, size) != 0)
		return false;
	self->at += size;
	return true;
}

static bool take_hex(struct parser *self, uint32_t *unit)
{
	*unit = 0;
	if (self->end - self->at < 4)
		return fail(self, "four hexadecimal digits");
	for (int i = 0; i < 4; i++, self->at++) {
		char digit = *self->at;
		if (digit >= '0' && digit <= '9')
			*unit = *unit << 4 | (uint32_t)(digit - '0');
		else if ((digit | 32) >= 'a' && (digit | 32) <= 'f')
			*unit = *unit << 4 | (uint32_t)((digit | 32) - 'a' + 10);
		else
			return fail(self, "four hexadecimal digits");
	}
	return true;
}

static void add_character(struct buf *out, uint32_t character)
{
	unsigned char bytes[4];
	size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (size_t i = size; i-- > 1; character >>= 6)
		bytes[i] = (unsigned char)(0x80 | (character & 0x3f));
	bytes[0] = (unsigned char)(leads[size] | character);
	buf_add(out, bytes, size);
}

/* Behind "\u". Half a pair, and 0, become U+FFFD. */
static bool take_unicode(struct parser *self, struct buf *out)
{
	uint32_t unit, second;
	if (!take_hex(self, &unit))
		return false;
	if (unit >= 0xd800 && unit < 0xdc00 && self->end - self->at >= 6 && self->at[0] == '\\' && self->at[1] == 'u') {
		const char *before = self->at;
		self->at += 2;
		if (!take_hex(self, &second))
			return false;
		if (second >= 0xdc00 && second < 0xe000)
			unit = 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
		else
			self->at = before;
	}
	add_character(out, unit == 0 || (unit >= 0xd800 && unit < 0xe000) ? 0xfffd : unit);
	return true;
}

static bool take_escape(struct parser *self, struct buf *out)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	if (self->at == self->end)
		return fail(self, "the end of the string");
	char letter = *self->at++;
	if (letter == 'u')
		return take_unicode(self, out);
	const char *found = letter ? strchr(letters, letter) : NULL;
	if (!found)
		return fail(self, "a valid escape sequence");
	buf_add(out, &meanings[found - letters], 1);
	return true;
}

/* Behind the first quote. */
static bool take_string(struct parser *self, char **string)
{
	struct buf out = { 0 };
	bool is_good = true;
	buf_add(&out, "", 0);
	while (is_good) {
		const char *run = self->at;
		while (self->at < self->end && *self->at != '"' && *self->at != '\\' &&
		       (unsigned char)*self->at >= 0x20)
			self->at++;
		buf_add(&out, run, (size_t)(self->at - run));
		if (self->at == self->end || (unsigned char)*self->at < 0x20)
			is_good = fail(self, "the end of the string");
		else if (*self->at++ == '"')
			break;
		else
			is_good = take_escape(self, &out);
	}
	if (!is_good) {
		buf_release(&out);
		return false;
	}
	*string = out.data ? out.data : mem_copy_string("");
	return true;
}

static size_t take_digits(struct parser *self)
{
	const char *first = self->at;
	while (self->at < self->end && *self->at >= '0' && *self->at <= '9')
		self->at++;
	return (size_t)(self->at - first);
}

static bool take_number(struct parser *self, struct json *value)
{
	const char *first = self->at;
	take_word(self, "-");
	bool is_good = take_word(self, "0") || take_digits(self);
	if (is_good && take_word(self, "."))
		is_good = take_digits(self);
	if (is_good && (take_word(self, "e") || take_word(self, "E"))) {
		if (!take_word(self, "+"))
			take_word(self, "-");
		is_good = take_digits(self);
	}
	if (!is_good)
		return fail(self, "a value");
	size_t size = (size_t)(self->at - first);
	value->kind = JSON_NUMBER;
	value->text = mem_alloc(size + 1);
	memcpy(value->text, first, size);
	return true;
}

static bool take_value(struct parser *self, struct json *value);

static bool take_children(struct parser *self, struct json *value, char end)
{
	size_t room = 0;
	if (take(self, end))
		return true;
	do {
		if (value->count == room) {
			room = room ? room * 2 : 4;
			value->items = mem_resize(value->items, room * sizeof *value->items);
		}
		struct json *child = &value->items[value->count++];
		*child = (struct json){ .kind = JSON_NULL };
		if (end == '}') {
			if (!take(self, '"'))
				return fail(self, "the name of a member");
			if (!take_string(self, &child->key))
				return false;
			if (!take(self, ':'))
				return fail(self, "\":\"");
		}
		if (!take_value(self, child))
			return false;
	} while (take(self, ','));
	return take(self, end) || fail(self, end == '}' ? "\",\" or \"}\"" : "\",\" or \"]\"");
}

static bool take_value(struct parser *self, struct json *value)
{
	bool is_good = true;
	if (++self->depth > MAX_DEPTH)
		return fail(self, "fewer nested values");
	if (take(self, '{')) {
		value->kind = JSON_OBJECT;
		is_good = take_children(self, value, '}');
	} else if (take(self, '[')) {
		value->kind = JSON_ARRAY;
		is_good = take_children(self, value, ']');
	} else if (take(self, '"')) {
		value->kind = JSON_STRING;
		is_good = take_string(self, &value->text);
	} else if (take_word(self, "true")) {
		value->kind = JSON_TRUE;
	} else if (take_word(self, "false")) {
		value->kind = JSON_FALSE;
	} else if (!take_word(self, "null")) {
		is_good = take_number(self, value);
	}
	self->depth--;
	return is_good;
}

static size_t line_of(const struct parser *self)
{
	size_t line = 1;
	for (const char *at = self->start; at < self->at; at++)
		line += *at == '\n';
	return line;
}

int json_parse(struct json **tree, const char *text, size_t size_bytes, struct err *err)
{
	struct parser self = { .start = text, .at = text, .end = text + size_bytes };
	*tree = mem_alloc(sizeof **tree);
	bool is_good = take_value(&self, *tree);
	if (is_good) {
		skip_space(&self);
		is_good = self.at == self.end || fail(&self, "the end");
	}
	if (is_good)
		return 0;
	json_free(*tree);
	*tree = NULL;
	return err_set(err, EINVAL, "invalid JSON: line %zu, byte %zu of the text: expected %s", line_of(&self),
		       (size_t)(self.at - self.start), self.wrong);
}

static void release(struct json *value)
{
	for (size_t i = 0; i < value->count; i++)
		release(&value->items[i]);
	free(value->items);
	free(value->key);
	free(value->text);
}

void json_free(struct json *tree)
{
	if (tree)
		release(tree);
	free(tree);
}

const struct json *json_member(const struct json *object, const char *name)
{
	for (size_t i = 0; object && object->kind == JSON_OBJECT && i < object->count; i++)
		if (strcmp(object->items[i].key, name) == 0)
			return &object->items[i];
	return NULL;
}

const char *json_string(const struct json *object, const char *name)
{
	const struct json *member = json_member(object, name);
	return member && member->kind == JSON_STRING ? member->text : NULL;
}

uint64_t json_number(const struct json *object, const char *name)
{
	const struct json *member = json_member(object, name);
	return member && member->kind == JSON_NUMBER && member->text[0] != '-' ? strtoull(member->text, NULL, 10) : 0;
}

bool json_is_true(const struct json *object, const char *name)
{
	const struct json *member = json_member(object, name);
	return member && member->kind == JSON_TRUE;
}

const struct json *json_array(const struct json *object, const char *name)
{
	const struct json *member = json_member(object, name);
	return member && member->kind == JSON_ARRAY ? member : NULL;
}

size_t json_count(const struct json *array)
{
	return array && array->kind == JSON_ARRAY ? array->count : 0;
}
