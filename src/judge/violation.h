/*
 * violation.h: makes findings of the violations of a guarded run: one for each pair of a place and the remote
 * predecessor that it never had in the training. Violations that a stall resolved are findings, too, because it is not
 * known what would have happened without the stall.
 */
#ifndef JUDGE_VIOLATION_H
#define JUDGE_VIOLATION_H

#include "judge/finding.h"
#include "learned/plan.h"

/* How the violations of a pair, or of all, ended. */
struct violation_tally {
	uint64_t seen, stalled_us, ends[HEDDLE_VIOLATION_ENDS];
	uint64_t unfinished; /* violations without an end, because the program ended first */
};

/* The words for an end. Ends without a reason are always listed, the others only if there are any. */
struct violation_end {
	const char *words, *key, *reason;
};

extern const struct violation_end violation_ends[HEDDLE_VIOLATION_ENDS]; /* by enum heddle_violation_end */
extern const struct violation_end violation_unfinished;

struct violation_tally violation_tally_of(const struct heddle_guard_pair *pair);
struct violation_tally violation_tally_all(const struct guard_log *log);

/* Appends "resolved 2, unresolved 0, stalled 3.1 ms" and a newline. */
void violation_tally_describe(struct buf *out, const struct violation_tally *tally);

/* Adds a finding for each pair. Pairs that were prevented come first, then those that were not; among these, pairs that
 * were seen more often come first. */
void judge_violations(struct findings *findings, const struct guard_plan *plan, const struct guard_log *log);

#endif
