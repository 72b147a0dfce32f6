/*
 * prepare.h: what heddle-cc does to a translation unit when it is compiled, between clang's optimiser and clang's code
 * generator. The unit's native code stays what clang makes of it, but for
 *  1. a 5-byte NOP at the entry of each function that can have a clone, where the runtime can write a jump;
 *  2. a hidden, weak alias for each function and for each static variable, so that clones, which are made at link time
 *     in objects of their own, can name them;
 *  3. the IR itself, kept in a section that is not loaded (unit.h), with the code of its lines (lines.h).
 */
#ifndef IR_PREPARE_H
#define IR_PREPARE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

struct prepare_options {
	const char *input;     /* bitcode, optimised */
	const char *output;    /* bitcode for the code generator */
	const char *unit_file; /* where the unit is written; the output's assembly includes that file */
	bool is_text;          /* the unit goes into the assembly itself: for -S */
	bool has_debug;        /* the user asked for debug information; else it is stripped from output */
	bool is_closed;        /* as UNIT_CLOSED */
	unsigned opt_level;    /* 0 to 3 */
	struct strings maps;   /* of prefixes of names: see lines.h */
};

/* Returns 0, or -errno with err set. */
int prepare_unit(const struct prepare_options *options, struct err *err);

#endif
