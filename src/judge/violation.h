/*
 * violation.h: the violations of a guarded run as findings: one for each place and the access of another thread that it came after, though
 * it never did in the training. Whether a stall resolved it or not: what would have happened is not known, so both are findings.
 */
#ifndef JUDGE_VIOLATION_H
#define JUDGE_VIOLATION_H

#include "judge/finding.h"
#include "learned/plan.h"

/* How the violations of a pair, or of all, ended. */
struct violation_tally {
	uint64_t seen, stalled_us, ends[HEDDLE_VIOLATION_ENDS];
	uint64_t unfinished; /* what has no end: the program ended first */
};

/* Those without a reason are always there, the others if there are any. */
struct violation_end {
	const char *words, *key, *reason;
};

extern const struct violation_end violation_ends[HEDDLE_VIOLATION_ENDS]; /* by enum heddle_violation_end */
extern const struct violation_end violation_unfinished;

struct violation_tally violation_tally_of(const struct heddle_guard_pair *pair);
struct violation_tally violation_tally_all(const struct guard_log *log);

/* Appends "resolved 2, unresolved 0, stalled 3.1 ms" and a newline. */
void violation_tally_describe(struct buf *out, const struct violation_tally *tally);

/* Adds a finding for each pair, what was prevented first, then what was not, then what was seen most. */
void judge_violations(struct findings *findings, const struct guard_plan *plan, const struct guard_log *log);

#endif
