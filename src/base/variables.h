/*
 * variables.h: environment variables as entries "NAME=value" of a vector, for programs that the tools start. No other code
 * parses or composes such entries. Names are compared as a whole, so that HEDDLE does not match HEDDLE_OPTIONS.
 */
#ifndef BASE_VARIABLES_H
#define BASE_VARIABLES_H

#include <stdbool.h>

#include "base/mem.h"

/* The value if the entry has that name, else null. */
const char *variable_value(const char *entry, const char *name);

/* Whether the name of the entry is one of the names, which end with null. */
bool variable_is_among(const char *entry, const char *const names[]);

/* The value of the first entry of that name; null when there is none. */
const char *variables_find(const struct strings *entries, const char *name);

/* Adds an entry; there must be none of that name yet. */
void variables_add(struct strings *entries, const char *name, const char *value);

/* Adds the entries of our own environment, except those with one of the names (which end with null) and those that begin with the
 * prefix (null: none). */
void variables_inherit(struct strings *entries, const char *const without[], const char *prefix);

/* "first:second", or only the one that is not null. Caller frees. */
char *variable_join(const char *first, const char *second);

#endif
