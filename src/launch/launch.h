/*
 * launch.h: runs the program under test as if it had been started without us: same standard streams, same signals,
 * same end.
 */
#ifndef LAUNCH_LAUNCH_H
#define LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "launch/keeper.h"

/* Finds the program (a path, or a name looked up in PATH) and checks that the runtime can be loaded into it. Returns 0
 * with *path set (caller frees), or a negative errno with err set. */
int launch_find(const char *name, char **path, struct err *err);

/* A descriptor of ours and the number that it gets in the program; -1: that number is closed. */
struct launch_descriptor {
	int fd, number;
};

#define LAUNCH_DESCRIPTORS 8u

/* How to start it. All zero: with our own environment, folder and limits. */
struct launch {
	const char *path;
	char **arguments;
	char **environment; /* null: ours */
	const char *folder; /* null: ours; a missing folder is no error */
	/* For a reproducible run: addresses are not random, these are the soft limits (0: unchanged), and the program
	 * ends when we end. */
	bool is_repeatable;
	bool is_unattended;   /* one of many: signals are not sent on to it */
	bool has_own_session; /* terminal signals do not reach it, and it has no terminal */
	uint64_t stack_limit, descriptor_limit;
	struct launch_descriptor descriptors[LAUNCH_DESCRIPTORS];
	size_t descriptor_count;
	struct keeper *keeper; /* initialised: the program is started by a keeper, which this becomes; null: by us */
};

/* Starts it. Signals sent to us are from now on sent on to it; those of the terminal reach it anyway. Returns 0 with
 * *child set, or a negative errno with err set; then there is no keeper. */
int launch_start(const struct launch *launch, pid_t *child, struct err *err);

/* Replaces this process by the program. Returns only on failure: a negative errno with err set. keeper and
 * is_unattended are ignored. */
int launch_become(const struct launch *launch, struct err *err);

/* Waits for its end. keeper: the one it was started by, or null. Returns 0 with *status as from waitpid, or a negative
 * errno with err set. */
int launch_wait(pid_t child, struct keeper *keeper, int *status, struct err *err);

/* From now on a file that would get larger than the limit (ulimit -f) is an error for us; the program still gets
 * SIGXFSZ. */
void launch_ignore_file_limit(void);

/* Starts the program in our environment and waits for it. */
int launch_run(const char *path, char **arguments, int *status, struct err *err);

/* Ends this process as the program ended: the same exit status, or the same signal, without a core file of our own. */
_Noreturn void launch_end(int status);

#endif
