/* lines.c: see lines.h. */
#include "base/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"

bool lines_file(const struct buf *lines, size_t *at, const char **name, const char **text)
{
	const char *found[2];
	for (size_t i = 0; i < 2; i++) {
		size_t left = *at < lines->size ? lines->size - *at : 0;
		size_t size = left ? strnlen(lines->data + *at, left) : 0;
		if (size == left)
			return false;
		found[i] = lines->data + *at;
		*at += size + 1;
	}
	*name = found[0];
	*text = found[1];
	return true;
}

bool lines_next(const char **text, uint32_t *line, const char **code, size_t *size_bytes)
{
	const char *end = strchr(*text, '\n');
	char *blank = NULL;
	unsigned long number = end && isdigit((unsigned char)**text) ? strtoul(*text, &blank, 10) : 0;
	if (!number || number > UINT32_MAX || *blank != ' ')
		return false;
	*line = (uint32_t)number;
	*code = blank + 1;
	*size_bytes = (size_t)(end - *code);
	*text = end + 1;
	return true;
}

bool lines_excerpt(const char *text, uint32_t line, struct buf *own, struct buf *around)
{
	struct {
		const char *code;
		size_t size;
	} before[SOURCE_AROUND] = { { "", 0 }, { "", 0 } };
	bool is_found = false;
	uint32_t number;
	const char *code;
	size_t size, after = 0;
	while (after < SOURCE_AROUND && lines_next(&text, &number, &code, &size)) {
		if (number == line) {
			is_found = true;
			buf_add(own, code, size);
			for (size_t i = 0; i < SOURCE_AROUND; i++)
				buf_format(around, "%.*s\n", (int)before[i].size, before[i].code);
		} else if (number > line && !is_found) {
			break;
		} else if (size && is_found) {
			buf_format(around, "%.*s\n", (int)size, code);
			after++;
		} else if (size) {
			memmove(before, before + 1, (SOURCE_AROUND - 1) * sizeof *before);
			before[SOURCE_AROUND - 1].code = code;
			before[SOURCE_AROUND - 1].size = size;
		}
	}
	return is_found;
}
