/*
 * stored_finding.h: converts a finding to the form of the store, with its fingerprint, its sites and its text, and
 * stores it. Every command that makes findings stores them this way.
 */
#ifndef CAMPAIGN_STORED_FINDING_H
#define CAMPAIGN_STORED_FINDING_H

#include "base/err.h"
#include "judge/finding.h"
#include "store/record.h"
#include "symbols/symbol.h"

/* The program that was run. The strings are the caller's. */
struct stored_program {
	const char *path;        /* of the file */
	const char *short_path;  /* store_program_path */
	const char *arguments;   /* each with a newline before it */
	struct symbols *symbols; /* provide the code of lines; null: sources are read */
};

/* Returns the build of a woven program as digits, or null if it is not woven. The caller frees the result. */
char *stored_weave(const char *path);

/* Stores the finding, and sets its number, its standing and its fingerprint. strategy: a word. is_spare: as in struct
 * store_seen. Returns 0, or a negative errno with err set. */
int stored_finding_see(struct store_test *test, const struct stored_program *program, struct finding *finding,
		       const char *strategy, bool is_spare, struct err *err);

/* Returns the sites of the finding in the form of the store; the caller frees the array. The strings of values are
 * added to values, which must stay as long. */
struct store_site *stored_finding_sites(const struct finding *finding, struct strings *values);

/* Returns the event of the evidence at which the finding shows, or 0 if that is its end. */
uint64_t stored_finding_event(const struct finding *finding);

#endif
