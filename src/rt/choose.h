/*
 * choose.h: which mode runs. HEDDLE, in the environment that the process was started with, decides; without it a program that carries
 * guard data is guarded (rt/baked.h). It is read once, by the first caller: a constructor, a woven object that registers, or an interposed function that the dynamic
 * linker calls before libc has started. Safe at any time, in any thread.
 */
#ifndef RT_CHOOSE_H
#define RT_CHOOSE_H

#include "rt/mode.h"

/* Null: none is named, or the named mode does not exist. */
const struct mode *choose_mode(void);

/* The value of HEDDLE, and that of HEDDLE_OPTIONS; null when not set. */
const char *choose_name(void);
const char *choose_options(void);

#endif
