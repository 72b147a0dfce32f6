/* violations.h: what a guarded run has shown: for people, and as JSON. */
#ifndef NARRATE_VIOLATIONS_H
#define NARRATE_VIOLATIONS_H

#include "base/mem.h"
#include "learned/plan.h"

/* Appends the report. */
void violations_text(struct buf *out, const struct guard_plan *plan, const struct guard_log *log);

/* Appends a document (docs/FORMATS.md). */
void violations_json(struct buf *out, const struct guard_plan *plan, const struct guard_log *log,
		     char *const program[]);

/* A line about the training data that do not fit this build; nothing if all do. */
void violations_unmatched(struct buf *out, const struct guard_plan *plan);

#endif
