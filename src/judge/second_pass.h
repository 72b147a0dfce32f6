/*
 * second_pass.h: examines a known schedule again. The trace of findings is replayed with detection up to the
 * last of them, and the run reports more about their accesses: stacks, locks that were held, values, the
 * block of the heap, and where threads were created. So the first pass need not keep any of these. One pass, of at
 * most two replays, serves all findings of a run.
 */
#ifndef JUDGE_SECOND_PASS_H
#define JUDGE_SECOND_PASS_H

#include "judge/finding.h"
#include "trace/report.h"

/* What is watched for a finding. */
enum second_watch {
	SECOND_LATER,   /* the access that completed the finding, or the call of free */
	SECOND_EARLIER, /* of a race: the other access; of a bad free: the access before it */
	SECOND_MADE,    /* the allocation of the block */
	SECOND_FREED,   /* the end of the block */
	/* The access before the block's end, also of a race with a free: a call of free in tail position hides the
	 * function. */
	SECOND_BEFORE,
	SECOND_THREADS, /* from here on: the creations of the threads in the other watches */
};

/* The same for lock orders: two for each, then the threads. */
#define SECOND_TAKEN(order) (2 * (uint32_t)(order))  /* the second lock, ... */
#define SECOND_HELD(order) (SECOND_TAKEN(order) + 1) /* ... and before it the first */

#define SECOND_ROOM (4 * HEDDLE_LOCK_PAIRS)

/* The observations of one finding. */
struct second_look {
	const struct finding *finding;
	const struct report *report;   /* of the pass */
	uint32_t watches[SECOND_ROOM]; /* by enum second_watch: 1 + the number of the watch; 0: not watched */
	uint32_t threads[SECOND_ROOM]; /* likewise, from first_thread on: whose creation it is */
	uint32_t first_thread, count;
	bool is_seen; /* the replay reached the finding, and it was the same */
};

struct second_pass {
	struct report report;
	struct heddle_watch watches[HEDDLE_WATCHES];
	uint32_t watch_count;
	uint64_t last_event;
	struct second_look *looks; /* of the first findings, in their order */
	size_t count;              /* as many as there was room for */
	uint64_t event_count;      /* of all replays ... */
	uint32_t replay_count;     /* ... and their number */
};

/* Returns the result of the watch `what` (enum second_watch, or SECOND_TAKEN and SECOND_HELD), or null if there is
 * none. */
const struct report_watch *second_look_watch(const struct second_look *self, uint32_t what);

/*
 * Replays the evidence of findings that have an origin and belong to one run, that of the first. At least one of them
 * is examined; if there are many, possibly not all. deadline: see retrace.h. Returns 0, or a negative errno with err
 * set: then nothing is known about any of them. Call second_pass_release in any case.
 */
int second_pass(struct second_pass *self, struct finding *const *findings, size_t count, double deadline,
		struct err *err);
void second_pass_release(struct second_pass *self);

#endif
