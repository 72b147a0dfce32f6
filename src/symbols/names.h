/* names.h: readable forms of C++ names, and matching them with patterns that users write. Names are not escaped. */
#ifndef SYMBOLS_NAMES_H
#define SYMBOLS_NAMES_H

#include <stdbool.h>

#include "base/map.h"
#include "base/mem.h"

/* Readable names of functions by their linkage names. Start with { 0 }. */
struct names {
	struct map map, displayed; /* by linkage names */
	struct strings owned;
};

/* The readable name, or linkage itself when it has none; lives as long as names and linkage. */
const char *names_readable(struct names *names, const char *linkage);
/* The name as it is displayed: see names_short.h. */
const char *names_displayed(struct names *names, const char *linkage);
/* Whether the pattern (with * and ?) matches a function: its linkage name, or its displayed name, with or without
 * parameters, with or without its scope: "app::queue<int>::push(int)", "app::queue<int>::push", "push". */
bool names_match(struct names *names, const char *pattern, const char *linkage);
void names_release(struct names *names);

#endif
