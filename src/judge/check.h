/*
 * check.h: the user's own check of a run (--check CMD): a program that reads the run's standard output from its
 * standard input, finds the run's exit status in its environment, and fails to reject the run. No shell is involved.
 */
#ifndef JUDGE_CHECK_H
#define JUDGE_CHECK_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"
#include "explore/campaign.h"

/* The maximum size of a run's output that can be checked. */
#define MAX_CHECK_OUTPUT (64u << 20)

struct check {
	struct strings words; /* empty: there is no check */
};

/* command: the path of a program, or words with blanks between them. Returns 0, or a negative errno with err set. */
int check_init(struct check *self, const char *command, struct err *err);
void check_release(struct check *self);

/* Runs the check for a run that has exited. Its environment has HEDDLE_EXIT, the exit status, and HEDDLE_FOLDER, the
 * folder in which the run began. Its output goes to check_output. Returns 1 if it accepted the run, or 0 if it rejected
 * it, with *how set to its exit status or signal in words (the caller frees it); or a negative errno with err set:
 * -EINTR when *is_stopped became true. */
int check_run(const struct check *self, const struct campaign_run *run, volatile sig_atomic_t const *is_stopped,
	      char **how, struct buf *check_output, struct err *err);

#endif
