/*
 * roff.h: text for manual pages, in the language of man(7). Options in the text, words that begin with two dashes,
 * become bold, and nothing in the text is interpreted as a request or an escape.
 */
#ifndef BASE_ROFF_H
#define BASE_ROFF_H

#include <stdio.h>

/* The head of a page of section 1, and its name: "NAME - summary". */
void roff_begin(FILE *to, const char *name, const char *version, const char *summary);

/* One line of text without its newline, printed literally. */
void roff_text(FILE *to, const char *text);

/* Paragraphs, which empty lines separate. Lines are joined, except those that begin with a blank. */
void roff_paragraphs(FILE *to, const char *text);

/* An entry of a list of options: --name ARGUMENT, which may be null, and what it does. between separates
 * the two: " ", "=", or "[=", which is closed by "]". */
void roff_option(FILE *to, const char *name, const char *between, const char *argument, const char *help);

#endif
