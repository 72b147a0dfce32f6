/*
 * guarded.h: stores the violations of a guarded run as findings. A run without violations does not touch the store. If
 * the store cannot be written, violations are still reported.
 */
#ifndef CAMPAIGN_GUARDED_H
#define CAMPAIGN_GUARDED_H

#include "judge/violation.h"

/* The program that ran, and its findings. The strings are the caller's unless stated otherwise. */
struct guarded {
	const char *store; /* --store; null: the usual one */
	const char *path;  /* of the program's file */
	char *const *program;
	char *key; /* identifies the program; guarded_release frees it */
	struct findings findings;
};

/* Adds the violations of a run to the findings. */
void guarded_judge(struct guarded *self, const struct guard_plan *plan, const struct guard_log *log);

/* Stores the findings and sets their numbers. Returns 0, or a negative errno with err set: then some have no
 * numbers. */
int guarded_store(struct guarded *self, struct err *err);

void guarded_release(struct guarded *self);

#endif
