/* doctor_priv.h: what the parts of heddle doctor share. Each part looks at some things and says one line about each. */
#ifndef CMD_DOCTOR_PRIV_H
#define CMD_DOCTOR_PRIV_H

#include <stddef.h>

#include "base/mem.h"

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* Heddle works; something that it could do here, or could do better, it does not */
	DOCTOR_UNUSED,  /* there or not: no command uses it yet */
	DOCTOR_MISSING, /* a command does not work */
	DOCTOR_UNKNOWN, /* could not be looked at */
};

struct doctor_check {
	const char *name;
	enum doctor_status status;
	char *found;
	const char *cost; /* what does not work; null: nothing */
	const char *hint; /* what to do about it; null: nothing to say */
};

#define DOCTOR_CHECKS 32u

struct doctor {
	struct doctor_check checks[DOCTOR_CHECKS];
	size_t count;
	char *folder; /* for files of ours; null: there is none */
};

/* Says what was found. */
void doctor_report(struct doctor *self, const char *name, enum doctor_status status, const char *cost, const char *hint,
		   const char *format, ...) __attribute__((format(printf, 6, 7)));

/* What the kernel has and lets us do. doctor_proc is first: the others need /proc; it returns whether it is there. */
bool doctor_proc(struct doctor *self);
void doctor_kernel(struct doctor *self);

/* Where files go. */
void doctor_places(struct doctor *self);

/* Heddle's own files, the compiler, and a program from source to the end of a run. */
void doctor_parts(struct doctor *self);

#endif
