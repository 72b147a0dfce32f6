/* line.c: see line.h. */
#include "symbols/line.h"

#include <inttypes.h>

#include "base/text.h"

void line_add(struct buf *out, const char *file, uint32_t line)
{
	text_terminal(out, file);
	if (line_number(line))
		buf_format(out, line_is_near(line) ? " near line %" PRIu32 : ":%" PRIu32, line_number(line));
}

void line_add_json(struct json_writer *out, uint32_t line)
{
	json_add_number(out, "line", line_number(line));
	if (line_is_near(line))
		json_add_bool(out, "is_near", true);
}
