/*
 * pairs.h: a test that looks only for given pairs of accesses, from the report of another tool or from heddle check.
 * Schedules bring two threads to the accesses of a pair (world/schedule/pair.c). A race that such a schedule shows is a
 * finding like others, and is classified. A pair that no schedule shows as a race is ordered, or was not reached.
 */
#ifndef CAMPAIGN_PAIRS_H
#define CAMPAIGN_PAIRS_H

#include "campaign/test.h"
#include "symbols/describe.h"
#include "symbols/site_pair.h"

/* A pair and the results for it. */
struct test_pair {
	struct site_pair sites; /* its own; the number of a program is its index in struct test_pairs */

	bool is_proved; /* heddle-cc proved that one side cannot race: schedules check that */

	/* The results. */
	uint64_t schedules;  /* that were run to their ends for this pair */
	uint64_t reached[2]; /* those in which a thread came to an access of that side */
	uint64_t common;     /* those in which two threads made accesses of both sides to common bytes, and one wrote */
	uint64_t unordered;  /* those of `common` with unordered accesses: a race, whether reported or not */
	char *beside;        /* key of a finding that such a schedule showed with one of the accesses; null: none */
	bool is_cut;         /* there was no time for all schedules */
	enum report_common_order order; /* what ordered the accesses in all schedules of `common` ... */
	struct buf lock;          /* ... and the name of the lock, escaped; empty: it has none, or there are several */
	char *key;                /* of the finding; null: no schedule showed the race */
	struct finding *finding;  /* null: none */
	enum verdict_class class; /* VERDICT_UNDECIDED: also when it was not reached */
};

struct test_pairs {
	uint64_t tries; /* schedules for each pair */
	/* Adds the pairs. Called when the woven files of the program are known. Returns 0, or a negative errno with err
	 * set. */
	int (*find)(struct test_pairs *self, struct err *err);
	/* Called when the results of a pair are complete, in the order of the pairs. */
	void (*done)(struct test_pairs *self, const struct test_pair *pair);
	void *context;

	struct description *programs; /* the woven files, ... */
	char **paths;                 /* ... and where they are */
	size_t program_count;
	struct test_pair *items;
	size_t count;
	bool is_found; /* find has returned 0 */
};

/* Appends a pair, whose sites become its own. Returns its number. */
size_t test_pairs_add(struct test_pairs *self, struct site_pair *sites, bool is_proved);
void test_pairs_release(struct test_pairs *self);

/* Whether schedules indicate that the pair is no race: its accesses were often made to common bytes, and always
 * ordered. */
bool test_pair_is_ordered(const struct test_pair *pair);

/* Call it instead of test_run: looks for the pairs, and stores and classifies the races that it finds. Returns 0, or a
 * negative errno with err set. */
int test_run_pairs(struct test *self, struct test_pairs *pairs, struct err *err);

#endif
