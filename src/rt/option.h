/*
 * option.h: what the environment asks of the runtime. HEDDLE names the mode; HEDDLE_OPTIONS is key=value:key=value
 * with a backslash before a colon or comma that is meant as such. One table in option.c has the keys; help=1 prints
 * it. Read once, at start, under the lock of rt/register.c; constant afterwards.
 */
#ifndef RT_OPTION_H
#define RT_OPTION_H

#include <stdbool.h>

struct options {
	char count_path[512]; /* "" when not asked for */
	char note_path[512];
	char operations_path[512], patches_path[512];
	bool is_verbose;
	bool selects_atomics; /* switch= has "atomics": functions with an atomic access are selected, too */
};

extern struct options options;

/* Reads HEDDLE_OPTIONS. Errors in it are reported on standard error; an error that cannot be ignored calls rt_off. */
void options_parse(const char *text);

/* Whether switch= selects the function with this linkage name. Without switch=, none is. */
bool options_selects(const char *name);

#endif
