/*
 * user_command.h: a command that the user names for Heddle to run, as in --check and --before: the path of a program, or a program and its
 * arguments with blanks between them. No shell is involved.
 */
#ifndef BASE_USER_COMMAND_H
#define BASE_USER_COMMAND_H

#include <signal.h>

#include "base/err.h"
#include "base/mem.h"

/* Fills in words. option: its name in messages, "--check". Returns 0, or a negative errno with err set: -EINVAL when there is no word,
 * -ENOENT when there is no such program. */
int user_command_parse(struct strings *words, const char *command, const char *option, struct err *err);

/* How to run it. */
struct user_command_start {
	const struct strings *words;
	const struct strings *environment;
	int input, output;                       /* descriptors: output gets standard output and standard error */
	const char *folder;                      /* null: ours */
	volatile sig_atomic_t const *is_stopped; /* ends it when it is set; null: never */
};

/* Runs it to its end, in a process group of its own: keys of the terminal are for us. *status: as from waitpid. Returns 0, or a negative
 * errno: -EINTR when it was stopped, otherwise it could not be started. */
int user_command_run(const struct user_command_start *start, int *status);

/* "exit status 3", "signal 6"; null when it succeeded. Caller frees. */
char *user_command_failure(int status);

/* Appends what was written to that descriptor, from its start, up to a limit. */
void user_command_read_output(int fd, struct buf *output);

#endif
