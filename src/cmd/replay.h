/* replay.h: what other commands want of heddle replay. */
#ifndef CMD_REPLAY_H
#define CMD_REPLAY_H

#include "base/err.h"

/* Runs the trace again and prints its interleaving on standard output, one column a thread, and nothing else. Returns 0, or
 * a negative errno with err set; then some of it may have been printed. */
int replay_show(const char *path, struct err *err);

#endif
