/*
 * train_priv.h: declarations that the parts of a training share: train.c has the native runs, train_control.c the
 * controlled schedules.
 */
#ifndef CAMPAIGN_TRAIN_PRIV_H
#define CAMPAIGN_TRAIN_PRIV_H

#include "campaign/train.h"
#include "explore/campaign.h"
#include "explore/sandbox.h"
#include "judge/check.h"
#include "judge/judge.h"
#include "learned/plan.h"
#include "trace/guard.h"
#include "trace/train.h"

#define TRAIN_CAPTURE_ROOM (64u << 10)

/* The controlled schedules. */
struct controlled {
	struct trace trace; /* how the program is started */
	struct train_file file;
	struct judge judge;
	struct planner *planner;
	struct sandbox sandbox; /* for the log of a run, which names its modules */
	char *log;
	bool is_ready;
	uint64_t made;
	uint64_t vain; /* number of the last schedules in a row that were not correct */
};

/* The data that all runs have in common. */
struct session {
	struct training *training;
	char *path;
	struct train_file file;
	struct check check;
	struct strings environment;
	struct learned_builds builds;
	struct guard_plan plan; /* of a guarded run, and its files */
	struct guard_files guard;
	struct controlled controlled;
	double deadline; /* 0: none */
};

/* Opens the standard input of runs. Returns a descriptor, or a negative errno with err set. */
int train_open_input(const struct training_request *request, struct err *err);

/* Notes why a run is not correct, if it is the first such run. words: the reason; it belongs to the training from here
 * on. output is copied. */
void train_note_failure(struct training *training, char *words, const struct buf *output);

/* If the run was correct, learns its histories and opens the builds that this needs. Returns 0, or a negative errno
 * with err set. */
int train_learn(struct session *session, const struct train_file *file, struct training_run *result, struct err *err);

/* Counts a run that was judged, and reports it. */
void train_count(struct training *self, const struct training_run *run);

/* Whether the training is over; then training->end says why. */
bool train_is_over(struct session *session);

/* Runs at most count controlled schedules. If none are possible, sets training->no_control to the reason and does
 * nothing else. Returns 0, or a negative errno with err set. */
int train_schedules(struct session *session, uint64_t count, struct err *err);
void train_schedules_release(struct controlled *self);

#endif
