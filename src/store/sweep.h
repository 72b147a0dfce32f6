/*
 * sweep.h: which trace of a finding is the best, and the removal of those that are not needed any more. For each finding,
 * build that showed it, parts (its libraries) and arguments one trace stays: the one with the fewest preemptions; among equally
 * reduced ones, and among those that were not reduced, the newest. A trace cannot be replayed with other parts, so for one build the
 * trace with the most recently used parts is the best.
 *
 * Invariants:
 *  1. A file that the database refers to is removed only after a commit that drops the reference.
 *  2. Traces of a running test stay even if others are better, because the test uses them.
 *     Assured by tests/cli/evidence.t.
 */
#ifndef STORE_SWEEP_H
#define STORE_SWEEP_H

#include "store/record.h"
#include "store/running.h"
#include "store/store.h"

/* Gives this process's test its mark, which is in no name of a trace and in no test of the database yet: the number
 * that the test will have in it, unless others begin just now. Within the transaction that adds the test: locks may be
 * missing, and separate only processes that use the same file. Returns 0, or a negative errno with err set. */
int store_begin_mark(struct store *store, struct running *running, struct err *err);

enum sweep { SWEEP_SUPERSEDED, SWEEP_ALL };

/*
 * Removes traces that are worse than another one of the same finding, build, parts and arguments; with SWEEP_ALL also
 * what killed tests of this database left, which nothing refers to. Does nothing while another process reads or removes
 * traces. Returns 0, or a negative errno with err set.
 */
int store_sweep(struct store *store, const struct running *running, enum sweep which, struct err *err);

/* The reduction of a failure by an earlier test of the same build with the same arguments. Strings are as they were stored, so not to be trusted. */
struct store_reduced {
	char *trace; /* relative to the folder of the store; it existed */
	char *needs;
	uint32_t preemptions;
	uint32_t early; /* sleeps and time-outs that must end early */
	bool is_fewest;
};

/* The best stored reduction of a failure that the test has seen. Returns 1, 0 when there is none, or a negative errno
 * with err set; store_reduced_release in any case. */
int store_find_reduced(const struct store_test *test, int64_t id, struct store_reduced *reduced, struct err *err);
void store_reduced_release(struct store_reduced *self);

/* Removes these traces, named relative to the store's folder, unless they belong to running tests or something refers to them. */
void store_remove(struct store *store, const struct running *running, const struct strings *traces);

#endif
