/* reason_priv.h: what the parts of reason.h share. */
#ifndef JUDGE_REASON_PRIV_H
#define JUDGE_REASON_PRIV_H

#include "judge/reason.h"
#include "trace/events.h"
#include "trace/trace.h"

typedef int reason_taken(struct reason_look *self, struct scene *scene, const struct trace *now, struct err *err);

/* Starts with the memory of the race. Returns 0, or a negative errno with err set. */
int reason_begin(struct reason_look *self, const struct report_race *race, struct err *err);

/* Replays a trace with all events and all accesses to the memory of the look, and calls taken with the result. Returns what that does, or a
 * negative errno with err set. */
int reason_replay(struct reason_look *self, struct scene *scene, const char *path, double deadline, reason_taken *taken,
		  struct err *err);

/* Takes a replay as one more run of the facts. */
reason_taken reason_take;

/* Whether others can notice what a thread does there, apart from its order with them. */
bool reason_is_effect(const struct event *event);

#endif
