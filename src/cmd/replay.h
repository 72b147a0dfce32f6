/* replay.h: what other commands want of heddle replay. */
#ifndef CMD_REPLAY_H
#define CMD_REPLAY_H

#include "base/err.h"

/* Whether the trace can be run again: it can be read, and its program is there and the one that was recorded. Returns 0, or a
 * negative errno with err set. */
int replay_check(const char *path, struct err *err);

#endif
