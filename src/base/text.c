/* text.c: see text.h. */
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The length of the UTF-8 character at the bytes and its number; 0 when they are none. */
static size_t decode(const unsigned char *at, uint32_t *character)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t size = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
	if (size < 2) {
		*character = at[0];
		return size;
	}
	*character = at[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++) {
		if (at[i] >> 6 != 2) /* the 0 at the end is none either */
			return 0;
		*character = *character << 6 | (at[i] & 0x3f);
	}
	if (*character < least[size] || *character > 0x10ffff || (*character >= 0xd800 && *character <= 0xdfff))
		return 0;
	return size;
}

/* Control characters, and those that make text read otherwise than it is. */
static bool is_harmful(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x61c ||
	       character == 0x200e || character == 0x200f || (character >= 0x2028 && character <= 0x202e) ||
	       (character >= 0x2066 && character <= 0x2069);
}

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f;
}

/* Appends the characters that need no escape, and returns what is behind them. */
static const unsigned char *add_plain(struct buf *out, const unsigned char *at, bool is_quoted)
{
	size_t run = 0;
	while (is_plain(at[run]) && !(is_quoted && (at[run] == '"' || at[run] == '\\')))
		run++;
	buf_add(out, at, run);
	return at + run;
}

void text_terminal(struct buf *out, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;
	while (*(at = add_plain(out, at, false))) {
		uint32_t character;
		size_t size = decode(at, &character);
		if (size && !is_harmful(character))
			buf_add(out, at, size);
		else
			for (size_t i = 0; i < (size ? size : 1); i++)
				buf_format(out, "\\x%02x", at[i]);
		at += size ? size : 1;
	}
}

void text_terminal_lines(struct buf *out, const char *lines)
{
	while (*lines) {
		size_t size = strcspn(lines, "\n");
		char *line = mem_format("%.*s", (int)size, lines);
		text_terminal(out, line);
		buf_add_string(out, "\n");
		free(line);
		lines += size + (lines[size] == '\n');
	}
}

char *text_terminal_copy(const char *string)
{
	struct buf out = { 0 };
	text_terminal(&out, string);
	return out.data ? out.data : mem_copy_string("");
}

void text_json(struct buf *out, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;
	if (!string) {
		buf_add_string(out, "null");
		return;
	}
	buf_add_string(out, "\"");
	while (*(at = add_plain(out, at, true))) {
		uint32_t character;
		size_t size = decode(at, &character);
		if (*at == '"' || *at == '\\')
			buf_format(out, "\\%c", *at);
		else if (!size)
			buf_add_string(out, "\\ufffd");
		else if (is_harmful(character))
			buf_format(out, "\\u%04x", character);
		else
			buf_add(out, at, size);
		at += size ? size : 1;
	}
	buf_add_string(out, "\"");
}

void text_utf8(struct buf *out, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;
	buf_add(out, "", 0);
	while (*at) {
		uint32_t character;
		size_t size = decode(at, &character);
		if (!size || (is_harmful(character) && character != '\t' && character != '\n') || character == 0xfffe ||
		    character == 0xffff)
			buf_add_string(out, "\xef\xbf\xbd");
		else
			buf_add(out, at, size);
		at += size ? size : 1;
	}
}

/* Ranges of characters that take two columns, and of those that take none; the first and the last of each. */
static const uint32_t wide[][2] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },   { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};
static const uint32_t combining[][2] = {
	{ 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },   { 0x64b, 0x65f },   { 0x1ab0, 0x1aff },
	{ 0x1dc0, 0x1dff }, { 0x200b, 0x200d }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
};

static bool is_among(uint32_t character, const uint32_t ranges[][2], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (character >= ranges[i][0] && character <= ranges[i][1])
			return true;
	return false;
}

static size_t columns_of(uint32_t character)
{
	if (character < 0x300)
		return 1;
	if (is_among(character, combining, sizeof combining / sizeof *combining))
		return 0;
	return is_among(character, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

/* The length of the character at bytes, of which size_bytes are readable, and its columns. Bytes that form no character
 * count singly. */
static size_t measure(const char *bytes, size_t size_bytes, size_t *columns)
{
	unsigned char copy[5] = { 0 };
	uint32_t character;
	for (size_t i = 0; i < 4 && i < size_bytes; i++)
		copy[i] = (unsigned char)bytes[i];
	size_t size = decode(copy, &character);
	*columns = size && character ? columns_of(character) : 1;
	return size ? size : 1;
}

size_t text_width(const char *bytes, size_t size_bytes)
{
	size_t width = 0, columns;
	for (size_t i = 0; i < size_bytes; width += columns)
		i += measure(bytes + i, size_bytes - i, &columns);
	return width;
}

/* How many bytes, from the start or up to the end, take at most width columns. */
static size_t bytes_from_start(const struct buf *text, size_t width)
{
	size_t at = 0, used = 0, columns;
	while (at < text->size) {
		size_t size = measure(text->data + at, text->size - at, &columns);
		if (used + columns > width)
			break;
		used += columns;
		at += size;
	}
	return at;
}

static size_t bytes_to_end(const struct buf *text, size_t width)
{
	size_t at = 0, used = text_width(text->data, text->size), columns;
	while (at < text->size && used > width) {
		at += measure(text->data + at, text->size - at, &columns);
		used -= columns;
	}
	return text->size - at;
}

void text_fit(struct buf *text, size_t width, enum text_cut cut)
{
	struct buf fitting = { 0 };
	if (!text->size || text_width(text->data, text->size) <= width)
		return;
	size_t room = width > 2 ? width - 2 : 0;
	size_t before = cut == TEXT_CUT_LEFT ? 0 : cut == TEXT_CUT_RIGHT ? room : room / 2;
	size_t start = bytes_from_start(text, before), end = bytes_to_end(text, room - before);
	buf_add(&fitting, text->data, start);
	buf_add(&fitting, "..", width < 2 ? width : 2);
	buf_add(&fitting, text->data + text->size - end, end);
	buf_release(text);
	*text = fitting;
}

static size_t smallest(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;
	return least < c ? least : c;
}

/* Levenshtein's distance; names are short. */
static size_t distance(const char *a, const char *b)
{
	enum { ROOM = 64 };
	size_t row[ROOM], a_size = strlen(a), b_size = strlen(b);
	if (a_size >= ROOM || b_size >= ROOM)
		return ROOM;
	for (size_t j = 0; j <= b_size; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			size_t above = row[j];
			row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[b_size];
}

const char *text_nearest(const char *written, const char *const names[])
{
	const char *best = NULL;
	size_t best_distance = 0, size = strlen(written);
	for (; *names; names++) {
		bool is_beginning = size >= 2 && strncmp(written, *names, size) == 0;
		size_t d = is_beginning ? 0 : distance(written, *names);
		if (!best || d < best_distance) {
			best = *names;
			best_distance = d;
		}
	}
	return best && best_distance <= 1 + size / 4 ? best : NULL;
}
