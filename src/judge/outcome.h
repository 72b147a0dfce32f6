/*
 * outcome.h: how a controlled run ended, in words, and what that means for our own exit status.
 */
#ifndef JUDGE_OUTCOME_H
#define JUDGE_OUTCOME_H

#include <stdbool.h>

#include "base/mem.h"
#include "symbols/unwind.h"
#include "trace/report.h"
#include "trace/trace.h"

/* Appends "exit 0", "signal 6 (Aborted)", "deadlock". */
void outcome_words(struct buf *out, const struct trace_result *result);

/* A schedule that was cut off before it was known whether it would end has the outcome of a livelock or a hang, but is none that we know of: no schedule had
 * ended by then, there was no time to run it longer, or it waited for something from outside. The first adds that to the report of its trace, the second tells
 * whether the trace is of such a schedule. */
void outcome_add_open(struct buf *report);
bool outcome_is_open(const struct trace *trace);

/* Appends the line of --stats, without the newline: "exit 0; 132 events, 14 switches, 4 threads; event hash ...". */
void outcome_stats(struct buf *out, const struct trace_result *result);

/* Whether we should end as the program ended; if not, *status is our exit status. */
bool outcome_is_program_end(const struct trace_result *result, int *status);

/* Appends a report about a crash, or an end that Heddle caused: each thread, what it waits
 * for, which thread holds that, and where; the cycle if there is one. Nothing for an exit. */
void outcome_report(struct buf *out, const struct trace *trace);

/* What outcome_report says about the threads, each line after the prefix: all of them, or after a crash the one that
 * crashed. symbols and unwinder: of the modules in the report. */
void outcome_threads(struct buf *out, const struct report *report, struct symbols *symbols, struct unwinder *unwinder,
		     bool is_crash, const char *prefix);

#endif
