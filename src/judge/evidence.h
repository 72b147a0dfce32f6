/*
 * evidence.h: the traces of the schedules in which findings were seen. They are in the folder evidence of the store:
 * .heddle/evidence in the working directory, unless the user names another store. Only their owner can read them. Their
 * names contain the mark of the test (store/running.h), so no test overwrites the evidence of another.
 */
#ifndef JUDGE_EVIDENCE_H
#define JUDGE_EVIDENCE_H

#include "explore/campaign.h"
#include "judge/finding.h"

#define EVIDENCE_FOLDER "evidence" /* in the folder of the store */

/* Makes the folder of the store and that of evidence. store: the path of the first, which must stay. Returns 0, or a
 * negative errno with err set. */
int evidence_start(const char *store, struct err *err);

/* Sets the mark of the test. Call it before anything is kept. */
void evidence_set_mark(int64_t mark);

/* Returns the path of a file in the folder of evidence; the caller frees it. */
char *evidence_path(const char *name);

/* Returns the path in the form of the store: relative to its folder. The result is a part of path. */
const char *evidence_in_store(const char *path);

/* Returns the path of a trace that the store names; the caller frees it. */
char *evidence_of_store(const char *trace);

/* Returns the identity of the program for the names of evidence, from its build and its arguments; the caller frees
 * it. */
char *evidence_program(const struct trace *start);

/* Writes the trace of the schedule for the finding, and sets finding->trace. start: how the program was started.
 * is_reduced: the file is written in addition to the earlier trace of the finding. is_open: it is not
 * known whether the schedule would have ended (outcome_is_open). Returns 0, or a negative errno with err set. */
int evidence_keep(struct finding *finding, const struct campaign_run *run, const struct trace *start, bool is_reduced,
		  bool is_open, struct err *err);

/* Writes the trace of a run that shows more about the finding, with this suffix in its name. Sets *path to its path,
 * which the caller frees; an earlier *path is freed. Returns 0, or a negative errno with err set and *path
 * unchanged. */
int evidence_keep_as(const struct finding *finding, const struct campaign_run *run, const struct trace *start,
		     const char *suffix, char **path, struct err *err);

/* Keeps the trace that was just written for another finding of the same schedule: the file gets a second name. Traces
 * are never changed in place, so each name stays valid whatever happens to the other. Returns 0, or a negative errno:
 * then the trace must be written by evidence_keep. */
int evidence_share(struct finding *finding, const struct finding *other);

/* Makes a copy of the trace at the path the evidence of the finding. Returns 0, or a negative errno with err set. */
int evidence_copy(struct finding *finding, const char *trace, struct err *err);

/* Renames the evidence after the finding, if that has another name now. */
void evidence_rename(struct finding *finding);

/* Removes the evidence. */
void evidence_drop(struct finding *finding);

#endif
