/*
 * detected.h: what detection found in runs outside of a test: data races, memory errors, lock orders. Ends of
 * runs are reported elsewhere (outcome.h).
 */
#ifndef NARRATE_DETECTED_H
#define NARRATE_DETECTED_H

#include "judge/judge.h"
#include "judge/suppress.h"

/* Appends what was found in one run, each line after "heddle: ". trace: with its report and result; path: where it is
 * kept, for a second pass with more details; null: nowhere. suppressions: null when there are none; what they suppress
 * is counted at the end, and those that are not used are named. Returns whether there is any that is not suppressed. */
bool detected_report(struct buf *out, const struct trace *trace, const char *path, struct suppressions *suppressions);

/* Adds what was found in a run that has ended to the findings of judge, which must be { 0 }; each finding is examined again by a
 * replay of the trace at path. */
void detected_find(struct judge *judge, const struct trace_result *result, const struct report *report,
		   const char *path);

/* The same as detected_report for one of many runs, whose findings are counted in judge. report: as text. */
void detected_count(struct judge *judge, const struct campaign_run *run, const char *report, size_t size_bytes);

/* After all runs are counted: lock orders become findings, and suppressions are applied. */
void detected_finish(struct judge *judge, struct suppressions *suppressions);

/* Whether a finding is one of these. */
bool detected_is(const struct finding *finding);

#endif
