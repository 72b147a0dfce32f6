/*
 * guarded.h: the violations of a guarded run as findings of the store. A run without violations does not touch the store, and one whose
 * store cannot be written is reported all the same.
 */
#ifndef CAMPAIGN_GUARDED_H
#define CAMPAIGN_GUARDED_H

#include "judge/violation.h"

/* What ran. The strings are the caller's. */
struct guarded {
	const char *store; /* --store; null: the usual one */
	const char *path;  /* of the program's file */
	char *const *program;
	char *key; /* what identifies the program; guarded_release frees it */
	struct findings findings;
};

/* Adds the violations of a run to the findings. */
void guarded_judge(struct guarded *self, const struct guard_plan *plan, const struct guard_log *log);

/* Stores them, which gives them their numbers. Returns 0, or a negative errno with err set: then some have none. */
int guarded_store(struct guarded *self, struct err *err);

void guarded_release(struct guarded *self);

#endif
