/*
 * retrace.h: replays evidence, completely or up to an event, to report more about it. The program's output is not
 * shown. A replay succeeds if it follows the recording to its end or to the requested event; otherwise the error
 * describes how it differs.
 */
#ifndef JUDGE_RETRACE_H
#define JUDGE_RETRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "launch/control.h"
#include "trace/trace.h"

struct retrace {
	/* Set by the caller. */
	const struct trace *start;          /* how the program is started; null: as recorded */
	uint32_t flags;                     /* enum heddle_control_flag, in addition to those of every such replay */
	bool is_detailed;                   /* the events are kept in now */
	uint64_t stop_after;                /* the last event of interest; 0: that of the recording */
	const struct heddle_watch *watches; /* at most HEDDLE_WATCHES */
	uint32_t watch_count;
	/* The race whose instances are counted in the channel of control, with HEDDLE_CONTROL_DETECT. */
	struct heddle_race_ask race;
	uint64_t quiet_seconds; /* see struct heddle_channel */
	double deadline;        /* of the monotonic clock, in seconds; 0: none */

	/* The result. */
	struct control control;
	struct trace now; /* result, report and log are its own */
};

/* Replays the recording. Returns 0 if the replay followed it, -ETIME with err set if the deadline came first, or
 * another negative errno with err set. Call retrace_release in any case. */
int retrace(struct retrace *self, const struct trace *recorded, struct err *err);
void retrace_release(struct retrace *self);

#endif
