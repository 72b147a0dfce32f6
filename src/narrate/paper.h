/*
 * paper.h: what text is written on: how wide it is, and whether colours are wanted. Text is folded and cut before it gets
 * colours, so that no escape sequence is ever broken.
 */
#ifndef NARRATE_PAPER_H
#define NARRATE_PAPER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

struct paper {
	size_t width; /* in columns; 0: not known, and lines are not folded */
	bool is_colored;
};

enum paper_style {
	PAPER_PLAIN,
	PAPER_HEAD, /* of a finding */
	PAPER_MARK, /* what it is about */
	PAPER_TURN, /* threads change places */
	PAPER_FAINT,
	PAPER_TITLE,
	PAPER_STYLE_COUNT
};

/* The values of --color, ended by null: "auto", "always", "never". */
extern const char *const paper_colors[];

/* Whether color is one of them; null is "auto". Returns 0, or -EINVAL with err set. */
int paper_check_color(const char *color, struct err *err);

/* The paper behind a descriptor. COLUMNS in the environment has the first word about its width, then the terminal. With "auto" there are
 * colours on a terminal, unless NO_COLOR is in the environment or TERM is "dumb". color must be one of the values. */
void paper_init(struct paper *self, int fd, const char *color);

/* Appends the text in a style. It must have no line end in it. */
void paper_add(struct buf *out, const struct paper *self, enum paper_style style, const char *text);

/* Appends the beginning of a style; PAPER_PLAIN ends all. */
void paper_style(struct buf *out, const struct paper *self, enum paper_style style);

/* Appends one line of text, folded at spaces when it is too wide; lines begin with so many spaces, those behind the first
 * with four more. A word that is too wide for a line is shortened in its middle. */
void paper_fold(struct buf *out, const struct paper *self, enum paper_style style, size_t indent, const char *text);

#endif
