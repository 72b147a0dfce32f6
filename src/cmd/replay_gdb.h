/*
 * replay_gdb.h: heddle replay --gdb: the replay under gdb. gdb starts the program again and again through
 * heddle replay --exec, which becomes the program with a channel of its own; share/heddle/gdb.py does the rest.
 */
#ifndef CMD_REPLAY_GDB_H
#define CMD_REPLAY_GDB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/trace.h"

struct replay_gdb {
	const char *path; /* of the trace */
	const struct trace *recorded;
	uint64_t stop_at;      /* an event to stop before, instead of at the failure; 0: none */
	uint64_t found_at;     /* how many events there were when detection found it; 0: the first that it found */
	bool is_end;           /* without such an event, stop at the end */
	uint64_t hang_seconds; /* for heddle replay --exec --hang; 0: not given */
	bool is_trusted;       /* for heddle replay --exec --trust */
	char **arguments;      /* the user's, for gdb; null at the end */
};

/* Becomes gdb, at the failure of the run. Returns only when that fails: a negative errno with err set. */
int replay_gdb(const struct replay_gdb *settings, struct err *err);

#endif
