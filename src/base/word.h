/* word.h: is a string one of some fixed words, or does it begin with one? Lists of words end with null; no string (null) is none of them. */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include <stdbool.h>
#include <string.h>

bool word_is_among(const char *word, const char *const words[]);

static inline bool word_begins_with(const char *word, const char *prefix)
{
	return word && strncmp(word, prefix, strlen(prefix)) == 0;
}

bool word_begins_with_any(const char *word, const char *const prefixes[]);

/* Whether a function or variable of that name is what the compiler links into every program: it starts and ends the program, and
 * shares nothing among threads. */
bool word_is_startup(const char *symbol);

#endif
