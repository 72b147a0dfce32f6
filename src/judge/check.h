/*
 * check.h: the user's own judgement of a run (--check CMD): a program that gets the run's standard output as its
 * standard input and how the run ended in its environment, and fails when it rejects them. No shell is involved.
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
	struct strings words; /* none: there is no check */
};

/* command: the path of a program, or words with blanks between them. Returns 0, or a negative errno with err set. */
int check_init(struct check *self, const char *command, struct err *err);
void check_release(struct check *self);

/* Runs it for a run that has exited. It sees HEDDLE_EXIT, the exit status, and HEDDLE_FOLDER, where the run began. Its
 * output goes to check_output. Returns 1 when it accepted the run, 0 when not, with *how (caller frees) in words; or a negative
 * errno with err set: -EINTR when *is_stopped. */
int check_run(const struct check *self, const struct campaign_run *run, volatile sig_atomic_t const *is_stopped,
	      char **how, struct buf *check_output, struct err *err);

#endif
