/*
 * layout.h: properties of the output for text: how wide it is, and whether it has colours. Text is folded and cut
 * before it gets colours, so that no escape sequence is ever broken.
 */
#ifndef NARRATE_LAYOUT_H
#define NARRATE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

struct layout {
	size_t width; /* in columns; 0: not known, and lines are not folded */
	bool is_colored;
};

enum layout_style {
	LAYOUT_PLAIN,
	LAYOUT_HEAD, /* of a finding */
	LAYOUT_MARK, /* what it is about */
	LAYOUT_TURN, /* a switch of threads */
	LAYOUT_FAINT,
	LAYOUT_TITLE,
	LAYOUT_STYLE_COUNT
};

/* The values of --color, ended by null: "auto", "always", "never". */
extern const char *const layout_colors[];

/* Whether color is one of them; null is "auto". Returns 0, or -EINVAL with err set. */
int layout_check_color(const char *color, struct err *err);

/* The layout behind a descriptor. COLUMNS in the environment determines its width, else the terminal does. With "auto"
 * there are colours on a terminal, unless NO_COLOR is in the environment or TERM is "dumb". color must be one of the
 * values. */
void layout_init(struct layout *self, int fd, const char *color);

/* Appends the text in a style. It must have no line end in it. */
void layout_add(struct buf *out, const struct layout *self, enum layout_style style, const char *text);

/* Appends the beginning of a style; LAYOUT_PLAIN ends all. */
void layout_style(struct buf *out, const struct layout *self, enum layout_style style);

/* Appends one line of text, folded at spaces when it is too wide; lines begin with `indent` spaces, those after the
 * first with four more. A word that is too wide for a line is shortened in its middle. */
void layout_fold(struct buf *out, const struct layout *self, enum layout_style style, size_t indent, const char *text);

#endif
