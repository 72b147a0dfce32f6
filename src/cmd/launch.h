/*
 * launch.h: runs the program under test as if it had been started without us: same standard streams, same signals,
 * same end.
 */
#ifndef CMD_LAUNCH_H
#define CMD_LAUNCH_H

#include "base/err.h"

/* Finds the program (a path, or a name looked up in PATH) and checks that the runtime can be loaded into it. Returns 0
 * with *path set (caller frees), or a negative errno with err set. */
int launch_find(const char *name, char **path, struct err *err);

/* Runs it with our environment and waits. Signals sent to us are sent on to it; those of the terminal reach it anyway.
 * Returns 0 with *status as from waitpid, or a negative errno with err set. */
int launch_run(const char *path, char **arguments, int *status, struct err *err);

/* Ends this process as the program ended: the same exit status, or the same signal, without a core file of our own. */
_Noreturn void launch_end(int status);

#endif
