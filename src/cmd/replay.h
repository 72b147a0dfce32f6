/* replay.h: what other commands use of heddle replay. */
#ifndef CMD_REPLAY_H
#define CMD_REPLAY_H

#include "base/err.h"

/* Whether the trace can be replayed: it is readable, and its program exists and is the recorded build. Returns 0, or a
 * negative errno with err set. */
int replay_check(const char *path, struct err *err);

#endif
