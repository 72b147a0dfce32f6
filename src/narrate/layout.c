/* layout.c: see layout.h. */
#include "narrate/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "base/word.h"

#define WIDTH_LEAST 40u
#define MAX_WIDTH 10000u
#define HANGING 4u

const char *const layout_colors[] = { "auto", "always", "never", NULL };

static const char *const styles[LAYOUT_STYLE_COUNT] = {
	[LAYOUT_PLAIN] = "\033[0m", [LAYOUT_HEAD] = "\033[1;31m", [LAYOUT_MARK] = "\033[1;33m",
	[LAYOUT_TURN] = "\033[36m", [LAYOUT_FAINT] = "\033[2m",   [LAYOUT_TITLE] = "\033[1m",
};

int layout_check_color(const char *color, struct err *err)
{
	if (!color || word_is_among(color, layout_colors))
		return 0;
	char *shown = text_terminal_copy(color);
	err_set(err, EINVAL, "--color expects auto, always or never, not \"%s\"", shown);
	free(shown);
	return -EINVAL;
}

/* What https://no-color.org asks for: there, and not empty. */
static bool wants_color(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

static size_t width_of(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;
	if (width == 0 && ioctl(fd, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width == 0 || width >= MAX_WIDTH)
		return 0;
	return width < WIDTH_LEAST ? WIDTH_LEAST : width;
}

void layout_init(struct layout *self, int fd, const char *color)
{
	const char *wanted = color ? color : layout_colors[0];
	self->width = width_of(fd);
	self->is_colored = strcmp(wanted, "always") == 0 || (strcmp(wanted, "auto") == 0 && wants_color(fd));
}

void layout_style(struct buf *out, const struct layout *self, enum layout_style style)
{
	if (self->is_colored)
		buf_add_string(out, styles[style]);
}

void layout_add(struct buf *out, const struct layout *self, enum layout_style style, const char *text)
{
	bool is_styled = style != LAYOUT_PLAIN && *text;
	if (is_styled)
		layout_style(out, self, style);
	buf_add_string(out, text);
	if (is_styled)
		layout_style(out, self, LAYOUT_PLAIN);
}

/* How many bytes of the text go on a line of that many columns: up to a space, or a word that is too long for any line. It looks at
 * no more of the text than that. */
static size_t line_bytes(const char *text, size_t width)
{
	size_t at = 0, used = 0;
	while (text[at]) {
		size_t word = at + strcspn(text + at + 1, " ") + 1;
		used += text_width(text + at, word - at);
		if (at && used > width)
			return at;
		at = word;
	}
	return at;
}

void layout_fold(struct buf *out, const struct layout *self, enum layout_style style, size_t indent, const char *text)
{
	size_t own = strspn(text, " "), margin = indent + own;
	text += own;
	do {
		size_t room = self->width > margin + 20 ? self->width - margin : 20;
		size_t size = self->width ? line_bytes(text, room) : strlen(text);
		struct buf line = { 0 };
		buf_add(&line, text, size);
		if (self->width)
			text_fit(&line, room, TEXT_CUT_MIDDLE);
		buf_format(out, "%*s", (int)margin, "");
		layout_add(out, self, style, line.data);
		buf_add_string(out, "\n");
		buf_release(&line);
		text += size;
		text += strspn(text, " ");
		margin = indent + own + HANGING;
	} while (*text);
}
