/*
 * stored_finding.h: a finding as the store takes it: its fingerprint, its sites, its text. Whatever finds something stores it this way.
 */
#ifndef CAMPAIGN_STORED_FINDING_H
#define CAMPAIGN_STORED_FINDING_H

#include "base/err.h"
#include "judge/finding.h"
#include "store/record.h"
#include "symbols/symbol.h"

/* What was run. The strings are the caller's. */
struct stored_program {
	const char *path;        /* of the file */
	const char *short_path;  /* store_program_path */
	const char *arguments;   /* each with a newline before it */
	struct symbols *symbols; /* that know the code of lines; null: sources are read */
};

/* The build of a woven program as digits; null: it is not woven. Caller frees. */
char *stored_weave(const char *path);

/* Stores the finding, and sets its number, its standing and its fingerprint. strategy: a word. is_spare: as in struct store_seen. Returns 0, or
 * a negative errno with err set. */
int stored_finding_see(struct store_test *test, const struct stored_program *program, struct finding *finding,
		       const char *strategy, bool is_spare, struct err *err);

/* Its sites: to be freed; the strings of values are in values. */
struct store_site *stored_finding_sites(const struct finding *finding, struct strings *values);

/* The event of the trace at which it shows; 0: at the end of the evidence. */
uint64_t stored_finding_event(const struct finding *finding);

#endif
