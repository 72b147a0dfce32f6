/*
 * states.h: compares the states of the program after both orders of two racing accesses. The states are those that two
 * runs report at the ends of the sequencing regions of both accesses (world/schedule/compared.h); up to the first
 * access the runs are identical. The comparison covers the memory that changed since then, the callee-saved registers,
 * and the place of each of the two threads. The runtime's own data on stacks does not count.
 */
#ifndef JUDGE_STATES_H
#define JUDGE_STATES_H

#include "base/mem.h"
#include "judge/scene.h"
#include "model/analyzer.h"
#include "trace/report.h"

/* The maximum number of names of differing objects that are collected. */
#define STATES_NAMES 3u

/* The two runs. */
struct states {
	struct scene *scene;
	const struct report *recorded, *other; /* both REPORT_COMPARED */
	const struct report_race *race;        /* the instance */
	const char *trace;                     /* of the recorded run, to find out where blocks were allocated */
	const char *object;                    /* display name of the racing bytes; null: not known */
	double deadline;                       /* see retrace.h */
};

/* Compares the states of both runs. Adds the display names of differing objects to names, escaped, at most
 * STATES_NAMES, each once. */
enum verdict_states states_compare(const struct states *self, struct strings *names);

/* Whether the other order stayed on the path of the recorded one: it visited only places, and accessed only words, that
 * events of the recorded one had. */
bool states_is_same_path(const struct report_state *recorded, const struct report_state *other);

/* Makes the same check against the whole recorded run, which it replays: the other order has left the path if it has
 * places or words that no event of that run had. Returns 1 if it has left the path, 0 if not, or a negative errno with
 * err set. */
int states_has_left(const char *trace, const struct report_state *other, double deadline, struct err *err);

#endif
