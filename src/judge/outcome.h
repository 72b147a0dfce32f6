/*
 * outcome.h: describes how a controlled run ended, and derives our own exit status from it.
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

/* A schedule that was cut off before it was known whether it would end has the outcome of a livelock or a hang, but it is not known to be
 * one: no schedule had ended by then, there was no time to run it longer, or it waited for something from outside.
 * outcome_add_open adds this fact to the report of its trace; outcome_is_open returns whether a trace is of such a schedule. */
void outcome_add_open(struct buf *report);
bool outcome_is_open(const struct trace *trace);

/* Appends the line of --stats, without the newline: "exit 0; 132 events, 14 switches, 4 threads; event hash ...". */
void outcome_stats(struct buf *out, const struct trace_result *result);

/* Whether we should end as the program ended; if not, *status is our exit status. */
bool outcome_is_program_end(const struct trace_result *result, int *status);

/* Appends a report about a crash, or about an end that Heddle caused: for each thread the object that it waits
 * for, the thread that holds it, and where; and the cycle if there is one. Appends nothing for an exit. */
void outcome_report(struct buf *out, const struct trace *trace);

/* Appends the lines of outcome_report about the threads, each after the prefix: about all threads, or after a crash
 * about the one that crashed. symbols and unwinder: those of the modules in the report. */
void outcome_threads(struct buf *out, const struct report *report, struct symbols *symbols, struct unwinder *unwinder,
		     bool is_crash, const char *prefix);

#endif
