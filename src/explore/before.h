/*
 * before.h: a command of the user that runs before each schedule (--before), so that each finds the same files and databases: it
 * restores what the schedule before it changed. It runs in the directory in which the program runs, the sandbox if there is one.
 *
 * Invariants:
 *  1. After it has failed once no schedule runs, because what it would find is not known.
 *     Assured by tests/cli/before.t.
 */
#ifndef EXPLORE_BEFORE_H
#define EXPLORE_BEFORE_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

struct before {
	struct strings words; /* none: there is no command */
	volatile sig_atomic_t const *is_stopped;
	bool has_failed;
	struct err failure; /* why, if it has */
};

/* Start with { 0 }. command: as in base/user_command.h; is_stopped ends it. Returns 0, or a negative errno with err set. */
int before_init(struct before *self, const char *command, volatile sig_atomic_t const *is_stopped, struct err *err);
void before_release(struct before *self);

/* Runs it, if there is one. folder: where; null: in ours. Returns 0; -EINTR when it was stopped; or a negative errno with err set. */
int before_run(struct before *self, const char *folder, struct err *err);

#endif
