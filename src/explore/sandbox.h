/*
 * sandbox.h: the working directory of one run, which may leave files in it. Nothing keeps a program from going
 * elsewhere: it helps programs that write to their working directory and is not a jail.
 *
 * Each is locked by the process that made it. What a process that was killed left behind is removed by the next one that makes a
 * sandbox in the same place.
 */
#ifndef EXPLORE_SANDBOX_H
#define EXPLORE_SANDBOX_H

#include "base/err.h"

struct sandbox {
	char *path;  /* null: none */
	int lock_fd; /* the folder itself, locked */
};

/* Makes it, in $TMPDIR or /tmp. Returns 0, or a negative errno with err set. */
int sandbox_make(struct sandbox *self, struct err *err);

/* Removes what is in it, and with sandbox_remove the folder itself. */
void sandbox_empty(struct sandbox *self);
void sandbox_remove(struct sandbox *self);

#endif
