/*
 * environment.h: makes the program's environment. Under control the user's variables stay as they are; ours come before
 * them, in a fixed order and padded to a fixed size, because the addresses of the stack depend on the size of all
 * strings together, and must not depend on where Heddle is installed. The runtime removes ours before main.
 */
#ifndef LAUNCH_ENVIRONMENT_H
#define LAUNCH_ENVIRONMENT_H

#include "base/err.h"
#include "base/mem.h"
#include "trace/trace.h"

/* The runtime's file as LD_PRELOAD can name it; caller frees. Null with err set when there is none. */
char *environment_runtime(struct err *err);

/* Appends what the user has in HEDDLE_OPTIONS, and a colon: what is ours comes behind it, where it wins. */
void environment_options(struct buf *out);

/* Sets our own environment, for a program that is run without control: the mode and the options of the runtime, and the runtime
 * before what the user preloads. Returns 0, or a negative errno with err set. */
int environment_set(const char *mode, const char *options, struct err *err);

/* Appends the user's variables: all of ours, but those that are Heddle's. */
void environment_user(struct strings *out);

/* Appends the whole environment for the run that the trace describes. Its own_bytes says how large our part is; 0: not
 * known yet, and set here. Returns 0, or a negative errno with err set. */
int environment_control(struct trace *trace, struct strings *out, struct err *err);

#endif
