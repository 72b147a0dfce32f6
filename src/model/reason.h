/*
 * reason.h: why a race is harmless, from what was seen of the memory that it is about. The reasons are those of Narayanasamy and others,
 * Automatically Classifying Benign and Harmful Data Races Using Replay Analysis (PLDI 2007), section 5.4. Each is given only when all
 * that was seen agrees with it: a wrong reason is worse than none.
 *
 * Pure: no input or output, no globals.
 *
 * Invariants:
 *  1. The reason is a function of the accesses, whatever numbers threads, places and locks have.
 *     Assured by tests/unit/reason.t.
 *  2. One access that contradicts a reason is enough for it not to be given.
 *     Assured by tests/unit/reason.t.
 */
#ifndef MODEL_REASON_H
#define MODEL_REASON_H

#include "model/verdict.h"

#define REASON_LOCKS 8u

/* One access to the memory. */
struct reason_access {
	uint32_t thread;
	uint64_t place; /* equal for accesses of one line */
	bool is_write;  /* an atomic update, too */
	uint64_t before, after;
	uint64_t bits;       /* of a read: those of the value that are used */
	bool is_computed;    /* a write of what is computed from a value read there */
	bool is_for_compute; /* a read for such writes alone */
	uint64_t effects;    /* what the thread did so far that others can notice, in numbers; a read is nothing */
	size_t lock_count;
	uint64_t locks[REASON_LOCKS]; /* that the thread had */
	bool is_shared[REASON_LOCKS]; /* for reading only */
};

/* The accesses of one run, as they were made. */
struct reason_run {
	const struct reason_access *accesses;
	size_t count;
};

struct reason_side {
	uint64_t place;
	uint32_t thread;
	bool is_write;
};

struct reason_facts {
	struct reason_side sides[2];
	uint64_t all_bits;         /* of the memory */
	struct reason_run runs[2]; /* of the recorded order, and of the other one */
	size_t run_count;          /* 1: only the recorded one is known */
};

/* The reason, and what shows it; pointers are into the facts, null where there is nothing to point to. */
struct reason {
	enum verdict_reason reason;
	const struct reason_access *read, *again, *write; /* again: the second check, or the last round of a loop */
	uint64_t lock;                                    /* of a second check */
	uint64_t values[2];                               /* that a read got, or that were written */
	uint64_t used_bits, changed_bits;                 /* of one side, and of the other */
	size_t write_count;
};

/* Of a harmless race. */
struct reason reason_of(const struct reason_facts *facts);

/* Of a loop that waits for another thread: whether reads of the one line are rounds of one, as far as all runs show, and a write of the
 * other line (0: any) ends one. *reason gets what shows it. */
bool reason_is_wait(const struct reason_facts *facts, uint64_t read_place, uint64_t write_place, struct reason *reason);

#endif
