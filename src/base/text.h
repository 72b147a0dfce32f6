/*
 * text.h: strings that come from files, made fit for a terminal and for JSON. Hostile strings do no harm: control
 * characters, broken UTF-8 and characters that reverse the direction of text are escaped.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

#include "base/mem.h"

/* Appends the string; what a terminal would interpret becomes \xNN. */
void text_terminal(struct buf *out, const char *string);
char *text_terminal_copy(const char *string); /* caller frees */

/* The same for several lines: newlines are kept, and one is added at the end if it is missing. */
void text_terminal_lines(struct buf *out, const char *lines);

/* Appends the string in quotes; null becomes null. Bytes that are not UTF-8 become U+FFFD. */
void text_json(struct buf *out, const char *string);

/* Appends the string as UTF-8 without control characters but tabs and newlines: others, and bytes that are not UTF-8, become
 * U+FFFD, as do the two characters that no XML may have. */
void text_utf8(struct buf *out, const char *string);

/* The number of terminal columns that the bytes take: East Asian characters and emoji take two, combining characters none. */
size_t text_width(const char *bytes, size_t size_bytes);

/* Where something is left out of a text that is too long. */
enum text_cut { TEXT_CUT_LEFT, TEXT_CUT_MIDDLE, TEXT_CUT_RIGHT };

/* Shortens the text to width columns, with two dots for what is left out. Characters stay whole. */
void text_fit(struct buf *text, size_t width, enum text_cut cut);

/* Of the names, the one that was probably meant, or null. names ends with null. */
const char *text_nearest(const char *written, const char *const names[]);

#endif
