/*
 * sweep.h: which trace of a finding is the best, and the removal of those that are not needed any more. Of each finding,
 * build that showed it, its parts (the libraries) and arguments one stays: the one with the fewest preemptions, of those that were
 * reduced as far, or not at all, the newest. With other parts a trace cannot be replayed, so of one build that with the parts that
 * were used last is the best.
 *
 * Invariants:
 *  1. A file that the database refers to is removed only after a commit that drops the reference.
 *  2. What a test that is running has written stays, also when others are better: it uses it.
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

/* What an earlier test of the same build with the same arguments made of a failure. Strings are as they were stored, so not to be trusted. */
struct store_reduced {
	char *trace; /* relative to the folder of the store; it was there */
	char *needs;
	uint32_t preemptions;
	uint32_t early; /* sleeps and time-outs that must end early */
	bool is_fewest;
};

/* The best stored reduction of a failure that the test has seen. Returns 1, 0 when there is none, or a negative errno
 * with err set; store_reduced_release in any case. */
int store_find_reduced(const struct store_test *test, int64_t id, struct store_reduced *reduced, struct err *err);
void store_reduced_release(struct store_reduced *self);

/* Removes files that are traces as the store has them, unless they are of tests that are running or something refers to them. */
void store_remove(struct store *store, const struct running *running, const struct strings *traces);

#endif
