/*
 * second_pass.h: looks again at a schedule that is known. The trace of a finding is replayed with detection, and the run
 * tells more about the accesses that matter: stacks, locks that were held, values, the heap's block, where threads were
 * created. So the first pass need not keep any of it.
 */
#ifndef CMD_SECOND_PASS_H
#define CMD_SECOND_PASS_H

#include "cmd/finding.h"
#include "cmd/report.h"

/* What is asked for, by number of the watch. */
enum second_watch {
	SECOND_LATER,   /* the access that completed the finding, or the call of free */
	SECOND_EARLIER, /* of a race: the other one; of a call of free: the access before it */
	SECOND_MADE,    /* the block's allocation */
	SECOND_FREED,   /* and its end */
	SECOND_BEFORE, /* the access before that: a call of free that is the last thing of a function hides the function */
	SECOND_THREADS, /* from here on: creations of the threads that are in the others */
};

/* The same for lock orders: two for each, then the threads. */
#define SECOND_TAKEN(order) (2 * (uint32_t)(order)) /* the second lock, ... */
#define SECOND_HAD(order) (SECOND_TAKEN(order) + 1) /* ... and before it the first */

struct second_pass {
	struct report report;
	uint32_t threads[HEDDLE_WATCHES]; /* by watch, from first_thread on: whose creation it is */
	uint32_t first_thread, watch_count;
};

/* Replays the evidence of a finding that has an origin. Returns 0, or a negative errno with err set. Release it in any
 * case. */
int second_pass(struct second_pass *self, const struct finding *finding, struct err *err);
void second_pass_release(struct second_pass *self);

#endif
