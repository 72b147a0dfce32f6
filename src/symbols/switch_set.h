/*
 * switch_set.h: translates --switch SET for the runtime, which knows only linkage names, while users write "queue::push".
 */
#ifndef SYMBOLS_SWITCH_SET_H
#define SYMBOLS_SWITCH_SET_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

/* Appends "switch=..." for HEDDLE_OPTIONS. program: its functions are found by the names that people write, if it is
 * woven. has_files: @FILE stays a file, by its full path; else its patterns are written out. Returns 0, or a negative
 * errno with err set. */
int switch_set(struct buf *out, const char *set, const char *program, bool has_files, struct err *err);

/* Appends the patterns of the set that no function of the program matches. Nothing when it is not woven: it may load
 * libraries that are. */
void switch_set_idle(struct strings *patterns, const char *set, const char *program);

#endif
