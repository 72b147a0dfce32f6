/*
 * shell_words.h: splits a line into words as a shell does with a simple command: blanks separate words, '...' keeps all bytes, "..." and a
 * backslash keep blanks and quotes. Nothing is expanded or executed, and no other character is special.
 */
#ifndef BASE_SHELL_WORDS_H
#define BASE_SHELL_WORDS_H

#include <stdbool.h>

#include "base/mem.h"

/* Appends the words. Returns false if a quote is not closed, or a backslash ends the line: then words has those before it. */
bool shell_words(struct strings *words, const char *line);

#endif
