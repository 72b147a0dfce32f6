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

/* A line of the text: its code and size. Returns the next, null at the end and where it is damaged. */
static const char *take(const char *text, unsigned long *line, const char **code, size_t *size)
{
	const char *end = strchr(text, '\n');
	char *blank = NULL;
	*line = end && isdigit((unsigned char)*text) ? strtoul(text, &blank, 10) : 0;
	if (!*line || *blank != ' ')
		return NULL;
	*code = blank + 1;
	*size = (size_t)(end - *code);
	return end + 1;
}

bool lines_excerpt(const char *text, uint32_t line, struct buf *own, struct buf *around)
{
	struct {
		const char *code;
		size_t size;
	} before[SOURCE_AROUND] = { { "", 0 }, { "", 0 } };
	bool is_found = false;
	unsigned long number;
	const char *code;
	size_t size, after = 0;
	while (after < SOURCE_AROUND && (text = take(text, &number, &code, &size))) {
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
