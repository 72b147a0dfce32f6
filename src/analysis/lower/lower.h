/*
 * lower.h: makes a struct whole from the units of a program, as the weave has them. Symbols are resolved as the linker does it: a
 * name that several units see is one function or variable; of several definitions of an inline function the first counts, and a
 * definition that is not weak replaces a weak one.
 *
 * Accesses get the numbers that the weave gives their sites. That is decided on the IR as it is; after that local variables
 * are turned into values (mem2reg), so that code that was not optimised is as clear as code that was.
 */
#ifndef ANALYSIS_LOWER_LOWER_H
#define ANALYSIS_LOWER_LOWER_H

#include "analysis/program/whole.h"
#include "base/err.h"
#include "ir/unit.h"

/* Called before each unit; may be null. */
typedef void lower_progress(void *context, size_t done, size_t count);

struct lower_input {
	const struct unit *unit;
	bool is_shared; /* linked into a shared library; decides which sites there are, as in the weave */
};

/* Returns 0 with *whole set (whole_free it), or -errno with err set. */
int lower_units(const struct lower_input *inputs, size_t count, lower_progress *progress, void *progress_context,
		struct whole **whole, struct err *err);

#endif
