/*
 * weave.h: makes the clones of one unit. The unit's IR is turned from "the unit" into "its clones": every function that
 * is to be woven is instrumented and becomes a clone with a name of its own; whatever the clones refer to, functions
 * and variables of the unit included, becomes a declaration of the symbol that the unit's native object defines. So the
 * originals' code is never generated a second time, and a call from a clone goes to the original's entry, which leads
 * to the callee's clone exactly when that function is switched.
 */
#ifndef IR_WEAVE_H
#define IR_WEAVE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/map.h"
#include "ir/proof.h"
#include "ir/unit.h"

/* What is known of the whole link. */
struct weave_context {
	const struct map *symbols;      /* aliases that the first link kept */
	const struct map *escaping_tls; /* over all units */
	const struct map *claims;       /* name of a shared function -> the struct unit that weaves it */
	const struct map *wrapped;      /* functions whose name the linker redirects everywhere */
	const struct proof *proof;      /* may be null */
	bool is_library;
};

/* What to weave of a unit: a large one is woven in parts, each in an object of its own, which take turns in its
 * functions. */
struct weave_task {
	const struct unit *unit;
	unsigned part, part_count;
};

/* Does the task and writes the object file. *discarded_count gets the number of functions among the task's that the
 * linker dropped. Returns 0, or -errno with err set. */
int weave_unit(const struct weave_context *context, const struct weave_task *task, const char *object,
	       unsigned *discarded_count, struct err *err);

#endif
