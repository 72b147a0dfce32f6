/*
 * classify_log.h: runs of a classification from the log, for programs whose inputs cannot be repeated: what sockets, terminals and other processes
 * sent is taken from the recorded run (world/answers.h).
 */
#ifndef CAMPAIGN_CLASSIFY_LOG_H
#define CAMPAIGN_CLASSIFY_LOG_H

#include "campaign/classify_priv.h"

/* Whether the recorded schedule of the first instance does not come about live: one run tells. Returns 1 if so, 0 if not, or a negative errno with
 * err set. */
int classify_needs_log(struct classifying *self, struct err *err);

/* Makes the run from the log, and passes it to take as a campaign would. Returns as take. */
int classify_run_log(struct classifying *self, const struct wanted *wanted, const struct plan *plan,
		     int (*take)(void *context, const struct campaign_run *run, struct lesson *learned,
				 struct err *err),
		     struct err *err);

void classify_release_logs(struct classifying *self);

#endif
