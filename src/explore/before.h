/*
 * before.h: a command of the user that runs before each schedule (--before). It restores the files and databases that
 * the last schedule changed, so that each schedule finds the same ones. It runs in the directory in which the program
 * runs: the sandbox, if there is one.
 *
 * Invariants:
 *  1. After the command has failed once, no schedule runs, because the state that it would find is unknown.
 *     Assured by tests/cli/before.t.
 */
#ifndef EXPLORE_BEFORE_H
#define EXPLORE_BEFORE_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

struct before {
	struct strings words;                    /* empty: there is no command */
	volatile sig_atomic_t const *is_stopped; /* the caller's */
	bool has_failed;
	struct err failure; /* why, if has_failed */
};

/* Start with { 0 }. command: as in base/user_command.h. When *is_stopped becomes true, a running command is ended.
 * Returns 0, or a negative errno with err set. */
int before_init(struct before *self, const char *command, volatile sig_atomic_t const *is_stopped, struct err *err);
void before_release(struct before *self);

/* Runs the command, if there is one, and waits for it. folder: its working directory; null: ours. Returns 0, or a
 * negative errno with err set: -EINTR when it was stopped. */
int before_run(struct before *self, const char *folder, struct err *err);

#endif
