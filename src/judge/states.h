/*
 * states.h: whether the program is in the same state after both orders of two racing accesses, and what differs. The states are those
 * that two runs report at the ends of the sequencing regions of both accesses (world/schedule/compared.h); up to the first access they are the
 * same run. Compared are memory, as far as it changed since then, and the registers that calls keep, with the place where each of the two threads
 * stands. What the runtime has on stacks does not count.
 */
#ifndef JUDGE_STATES_H
#define JUDGE_STATES_H

#include "base/mem.h"
#include "judge/scene.h"
#include "model/analyzer.h"
#include "trace/report.h"

/* Names of what differs that are collected. */
#define STATES_NAMES 3u

/* The two runs. */
struct states {
	struct scene *scene;
	const struct report *recorded, *other; /* both REPORT_COMPARED */
	const struct report_race *race;        /* the instance */
	const char *trace;                     /* of the recorded run, to find out where blocks were allocated */
	const char *object;                    /* display name of the bytes that it is about; null: not known */
	double deadline;                       /* see retrace.h */
};

/* Compares them. names: gets display names of what differs, escaped, at most STATES_NAMES, each once. */
enum verdict_states states_compare(const struct states *self, struct strings *names);

/* Whether the other order went only where the recorded one was, by the places and words of its events. */
bool states_is_same_path(const struct report_state *recorded, const struct report_state *other);

/* The same of the whole recorded run, which is replayed: places and words of the other order that no event of it had mean that it left the
 * path. Returns 1 if it did, 0 if not, or a negative errno with err set. */
int states_has_left(const char *trace, const struct report_state *other, double deadline, struct err *err);

#endif
