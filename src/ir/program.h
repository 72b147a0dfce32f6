/*
 * program.h: the weave of a whole link. Reads from the output of the first link which units and which functions are
 * part of it, decides which unit speaks for a function that several define, and weaves the units in parallel, each in a
 * process of its own.
 */
#ifndef IR_PROGRAM_H
#define IR_PROGRAM_H

#include <stdbool.h>

#include "base/err.h"

struct program_options {
	const char *linked; /* output of the first link */
	const char *folder; /* where objects go */
	const char *list;   /* file that gets the objects' paths, one a line, in the order of the units */
	bool is_library;
	unsigned job_count; /* 0: one a core */
};

/* Returns 0, or -errno with err set. */
int program_weave(const struct program_options *options, struct err *err);

#endif
