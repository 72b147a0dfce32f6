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

/* The path of the runtime, suitable for LD_PRELOAD; caller frees. Null with err set if it does not exist. */
char *environment_runtime(struct err *err);

/* Appends the user's HEDDLE_OPTIONS and a colon: our own options follow, and take precedence. */
void environment_options(struct buf *out);

/* Sets our own environment, for a program that is run without control: the mode and the options of the runtime, and the runtime
 * before what the user preloads. Returns 0, or a negative errno with err set. */
int environment_set(const char *mode, const char *options, struct err *err);

/* Appends the same to out, and leaves our own as it is: for a program that is not the only one that we start. */
int environment_uncontrolled(const char *mode, const char *options, struct strings *out, struct err *err);

/* Appends the user's variables: our environment without Heddle's own variables. */
void environment_user(struct strings *out);

/* Appends the whole environment for the run that the trace describes. Its own_bytes is the size of our part; if 0, it is
 * set here. Returns 0, or a negative errno with err set. */
int environment_control(struct trace *trace, struct strings *out, struct err *err);

#endif
