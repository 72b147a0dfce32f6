/*
 * classify_log.h: runs of a classification that get their inputs from the log, for programs whose inputs cannot be
 * repeated: the data that sockets, terminals and other processes sent is taken from the recorded run (world/answers.h).
 */
#ifndef CAMPAIGN_CLASSIFY_LOG_H
#define CAMPAIGN_CLASSIFY_LOG_H

#include "campaign/classify_priv.h"

/* Makes one live run to find out whether the recorded schedule of the first instance can be repeated without the log.
 * Returns 1 if it cannot, so that the log is needed, 0 if it can, or a negative errno with err set. */
int classify_needs_log(struct classifying *self, struct err *err);

/* Makes the run with its inputs from the log, and passes it to take as a campaign would. Returns what take returns, or
 * a negative errno with err set. */
int classify_run_log(struct classifying *self, const struct wanted *wanted, const struct plan *plan,
		     int (*take)(void *context, const struct campaign_run *run, struct lesson *learned,
				 struct err *err),
		     struct err *err);

void classify_release_logs(struct classifying *self);

#endif
