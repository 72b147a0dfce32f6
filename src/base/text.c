/* text.c: see text.h. */
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

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
	return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x200e ||
	       character == 0x200f || (character >= 0x2028 && character <= 0x202e) ||
	       (character >= 0x2066 && character <= 0x2069);
}

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f;
}

void text_terminal(struct buf *out, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;
	while (*at) {
		size_t run = 0;
		while (is_plain(at[run]))
			run++;
		buf_add(out, at, run);
		at += run;
		if (!*at)
			break;
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
	while (*at) {
		size_t run = 0;
		while (is_plain(at[run]) && at[run] != '"' && at[run] != '\\')
			run++;
		buf_add(out, at, run);
		at += run;
		if (!*at)
			break;
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

size_t text_width(const char *bytes, size_t size_bytes)
{
	size_t width = 0;
	for (size_t i = 0; i < size_bytes; i++)
		width += ((unsigned char)bytes[i] & 0xc0) != 0x80;
	return width;
}
