/*
 * sandbox.h: the working directory of one run, which may leave files in it. A sandbox keeps the files of runs apart; it
 * is not a jail: a program can still leave it and write elsewhere.
 *
 * Each sandbox is locked by the process that made it. If that process is killed, the next process that makes a
 * sandbox in the same place removes the old one.
 */
#ifndef EXPLORE_SANDBOX_H
#define EXPLORE_SANDBOX_H

#include "base/err.h"

struct sandbox {
	char *path;  /* null: none */
	int lock_fd; /* the folder itself, locked */
};

/* Makes a sandbox in $TMPDIR or /tmp. Returns 0, or a negative errno with err set. */
int sandbox_make(struct sandbox *self, struct err *err);

/* sandbox_empty removes its contents; sandbox_remove removes the folder itself, too. */
void sandbox_empty(struct sandbox *self);
void sandbox_remove(struct sandbox *self);

#endif
