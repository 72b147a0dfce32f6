/* doctor_priv.h: what the parts of heddle doctor share. Each part checks several things and reports one line about each. */
#ifndef CMD_DOCTOR_PRIV_H
#define CMD_DOCTOR_PRIV_H

#include <stddef.h>

#include "base/mem.h"

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* Heddle works, but lacks something that it could do, or do better */
	DOCTOR_UNUSED,  /* no command uses it yet, so it does not matter */
	DOCTOR_MISSING, /* a command does not work */
	DOCTOR_UNKNOWN, /* could not be checked */
};

struct doctor_check {
	const char *name;
	enum doctor_status status;
	char *found;
	const char *cost; /* what does not work; null: nothing */
	const char *hint; /* what to do about it; null: no hint */
};

#define DOCTOR_CHECKS 32u

struct doctor {
	struct doctor_check checks[DOCTOR_CHECKS];
	size_t count;
	char *folder; /* for files of ours; null: there is none */
};

/* Adds the result of a check. */
void doctor_report(struct doctor *self, const char *name, enum doctor_status status, const char *cost, const char *hint,
		   const char *format, ...) __attribute__((format(printf, 6, 7)));

/* What the kernel has and lets us do. doctor_proc is first: the others need /proc; it returns whether that is mounted. */
bool doctor_proc(struct doctor *self);
void doctor_kernel(struct doctor *self);

/* Where files go. */
void doctor_places(struct doctor *self);

/* Heddle's own files, the compiler, and a program from source to the end of a run. */
void doctor_parts(struct doctor *self);

#endif
