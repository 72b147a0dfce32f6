/*
 * analyzer.h: the rule of the Record/Replay Analyzer alone (Narayanasamy, Wang, Tigani, Edwards, Calder: Automatically Classifying Benign
 * and Harmful Data Races Using Replay Analysis, PLDI 2007, sections 4.2.1, 4.3 and 5.2.1), beside which the verdicts of model/verdict.h
 * can be seen. Each instance of a race is run in both orders to the ends of the sequencing regions of its accesses. Equal states
 * make the instance no-state-change; different ones make it state-change; and a run of the other order that goes where the recorded run never
 * was is a replay failure, since a log has nothing to go on with there. A race is potentially benign only if all of its instances are
 * no-state-change.
 *
 * Pure: no input or output, no globals.
 *
 * Invariants:
 *  1. The cause is a function of the instances, whatever their order.
 *     Assured by tests/unit/verdict.t.
 */
#ifndef MODEL_ANALYZER_H
#define MODEL_ANALYZER_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the memory and registers of the program are the same after both orders, at the ends of the sequencing regions of both
 * accesses. */
enum verdict_states { STATES_UNKNOWN, STATES_SAME, STATES_DIFFER, STATES_COUNT };

enum analyzer_cause {
	ANALYZER_UNKNOWN, /* no instance could be compared */
	ANALYZER_NO_STATE_CHANGE,
	ANALYZER_STATE_CHANGE,
	ANALYZER_REPLAY_FAILURE,
	ANALYZER_COUNT
};

struct compared_instance {
	bool is_recorded; /* a run of the recorded order came to the ends of the regions; else the instance does not count */
	bool has_left; /* the other order went where the recorded run never was, or did not come to the ends */
	enum verdict_states states;
};

/* As in JSON; null for ANALYZER_UNKNOWN. */
extern const char *const analyzer_words[ANALYZER_COUNT];       /* "no-state-change" */
extern const char *const analyzer_class_words[ANALYZER_COUNT]; /* "potentially-benign" */

enum analyzer_cause analyzer_of(const struct compared_instance *instances, size_t count);

/* The same for what Heddle says: one difference is enough, wherever the path leads; they are the same if those of all instances that count
 * are. */
enum verdict_states states_of(const struct compared_instance *instances, size_t count);

#endif
