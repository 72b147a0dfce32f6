/*
 * variables.h: environment variables as entries "NAME=value" of a vector, for programs that the tools start. It is the one place that
 * takes entries apart and puts them together: a name is compared as a whole, so that HEDDLE is not found in HEDDLE_OPTIONS.
 */
#ifndef BASE_VARIABLES_H
#define BASE_VARIABLES_H

#include <stdbool.h>

#include "base/mem.h"

/* The value when the entry is of that name, else null. */
const char *variable_value(const char *entry, const char *name);

/* Whether the name of the entry is one of the names, which end with null. */
bool variable_is_among(const char *entry, const char *const names[]);

/* The value of the first entry of that name; null when there is none. */
const char *variables_find(const struct strings *entries, const char *name);

/* Adds an entry; there is none of that name. */
void variables_add(struct strings *entries, const char *name, const char *value);

/* Adds the entries of our own environment, but those whose name is one of the names, which end with null, or begins with the prefix
 * unless that is null. */
void variables_inherit(struct strings *entries, const char *const without[], const char *prefix);

/* "first:second", or the one that is there; null is like nothing. Caller frees. */
char *variable_join(const char *first, const char *second);

#endif
