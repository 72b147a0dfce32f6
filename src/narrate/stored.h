/*
 * stored.h: the findings of a store as one document like that of a test (docs/FORMATS.md), for reports.
 */
#ifndef NARRATE_STORED_H
#define NARRATE_STORED_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "judge/finding.h"
#include "store/verdict.h"

struct stored_request {
	const char *store;      /* null: the usual one */
	const char *const *ids; /* of findings: "H1" */
	size_t id_count;        /* 0: all findings that are new or known */
	bool is_all;            /* also those that are fixed or suppressed */
	bool is_brief;          /* without interleavings, for which evidence is replayed */
};

/* Sets the verdict of a finding to what the store has. A class that this version does not know is left out. */
void stored_verdict(struct finding *finding, const struct store_verdict *stored);

/* Appends the document. Returns 0, or a negative errno with err set: -ENOENT there is no such finding. */
int stored_json(struct buf *out, const struct stored_request *request, struct err *err);

#endif
