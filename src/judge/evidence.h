/*
 * evidence.h: traces of the schedules that findings were seen in, in the folder evidence of the store: .heddle/evidence in
 * the working directory, unless the user wants another. Only their owner can read them. Their names contain the mark of the
 * test (store/running.h), so no test overwrites the evidence of another.
 */
#ifndef JUDGE_EVIDENCE_H
#define JUDGE_EVIDENCE_H

#include "explore/campaign.h"
#include "judge/finding.h"

#define EVIDENCE_FOLDER "evidence" /* in the folder of the store */

/* Makes both folders; store is that of the store, and the caller's. Returns 0, or a negative errno with err set. */
int evidence_start(const char *store, struct err *err);

/* Sets the mark of the test. Call it before anything is kept. */
void evidence_set_mark(int64_t mark);

/* A path in the folder of evidence; caller frees. */
char *evidence_path(const char *name);

/* The path as the store has it: relative to its folder. Part of the path. */
const char *evidence_in_store(const char *path);

/* The other way: the path of what the store has; caller frees. */
char *evidence_of_store(const char *trace);

/* What is run, as part of the names of evidence: the program's build and its arguments. Caller frees. */
char *evidence_program(const struct trace *start);

/* Writes the trace of the schedule for the finding, and sets finding->trace. start: how the program was started.
 * is_reduced: the file is written in addition to the one that the finding has so far. is_open: it is not
 * known whether the schedule would have ended (outcome_is_open). Returns 0, or a negative errno with err set. */
int evidence_keep(struct finding *finding, const struct campaign_run *run, const struct trace *start, bool is_reduced,
		  bool is_open, struct err *err);

/* Writes the trace of a run that shows more about the finding; the name has that suffix. *path gets the path, which the caller frees;
 * an earlier one is replaced. Returns 0, or a negative errno with err set and *path unchanged. */
int evidence_keep_as(const struct finding *finding, const struct campaign_run *run, const struct trace *start,
		     const char *suffix, char **path, struct err *err);

/* The same for a finding of a schedule that was just kept for another one: the file gets a second name. Traces are
 * never changed in place, so each name stays valid whatever happens to the other. Returns 0, or a negative errno: then
 * it must be written. */
int evidence_share(struct finding *finding, const struct finding *other);

/* A copy of the trace at the path becomes the evidence. Returns 0, or a negative errno with err set. */
int evidence_copy(struct finding *finding, const char *trace, struct err *err);

/* Renames the evidence after the finding, if that has another name now. */
void evidence_rename(struct finding *finding);

/* Removes the evidence. */
void evidence_drop(struct finding *finding);

#endif
