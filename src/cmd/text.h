/*
 * text.h: strings that come from files, made fit for a terminal and for JSON; C++ names made readable. Hostile strings
 * do no harm: control characters, broken UTF-8 and characters that reverse the direction of text are escaped.
 */
#ifndef CMD_TEXT_H
#define CMD_TEXT_H

#include <stdbool.h>

#include "base/map.h"
#include "base/mem.h"

/* Appends the string; what a terminal would interpret becomes \xNN. */
void text_terminal(struct buf *out, const char *string);
char *text_terminal_copy(const char *string); /* caller frees */

/* Appends the string in quotes; null becomes null. Bytes that are not UTF-8 become U+FFFD. */
void text_json(struct buf *out, const char *string);

/* How many columns the bytes take, as far as counting characters goes. */
size_t text_width(const char *bytes, size_t size_bytes);

/* Readable names of functions by their linkage names. Start with { 0 }. */
struct names {
	struct map map;
	struct strings owned;
};

/* The readable name, or linkage itself when it has none; lives as long as names and linkage. */
const char *names_readable(struct names *names, const char *linkage);
/* Whether the pattern (with * and ?) is of a function: of its linkage name, or of its name as people write it, with or
 * without parameters, with or without what it is in: "app::queue<int>::push(int)", "app::queue<int>::push", "push". */
bool names_match(struct names *names, const char *pattern, const char *linkage);
void names_release(struct names *names);

#endif
