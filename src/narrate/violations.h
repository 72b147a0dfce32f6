/* violations.h: what a guarded run has shown: for people, and as JSON. */
#ifndef NARRATE_VIOLATIONS_H
#define NARRATE_VIOLATIONS_H

#include "base/mem.h"
#include "judge/violation.h"
#include "learned/plan.h"

/* Appends the report. */
void violations_text(struct buf *out, const struct guard_plan *plan, const struct guard_log *log,
		     const struct findings *findings);

/* Appends a document (docs/FORMATS.md). */
struct violations_about {
	const struct guard_plan *plan;
	const struct guard_log *log;
	const struct learned *learned; /* the training data */
	const struct findings *findings;
	char *const *program; /* with its arguments */
	const char *path;     /* of its file */
	const char *store;    /* --store; null: the usual one */
};
void violations_json(struct buf *out, const struct violations_about *about);

/* A line about the training data that do not fit this build; nothing if all do. */
void violations_unmatched(struct buf *out, const struct guard_plan *plan);

#endif
