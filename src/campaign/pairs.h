/*
 * pairs.h: a test that looks for given pairs of accesses, from the report of another tool or from heddle check, and for nothing
 * else. Schedules bring two threads before the accesses of a pair (world/schedule/pair.c). The race that such a schedule shows is a
 * finding like others, and is classified. What no schedule shows is ordered, or was not reached.
 */
#ifndef CAMPAIGN_PAIRS_H
#define CAMPAIGN_PAIRS_H

#include "campaign/test.h"
#include "symbols/describe.h"
#include "symbols/site_pair.h"

/* What is known of a pair. */
struct test_pair {
	struct site_pair sites; /* its own; the number of a program is its index in struct test_pairs */

	bool is_proved; /* heddle-cc proved that one side cannot race: schedules check that */

	/* What became of it. */
	uint64_t schedules;  /* that were run for it, to their ends */
	uint64_t reached[2]; /* of these: a thread came to an access of that side */
	uint64_t common;     /* of these: two threads made accesses of both sides to common bytes, and one wrote */
	uint64_t unordered;  /* of these: and were not ordered, so it is a race, whether detection reported it or not */
	char *beside;        /* key of a finding that such a schedule showed with one of the accesses; null: none */
	bool is_cut;         /* there was no time for all schedules */
	enum report_common_order order; /* what ordered them in all of these ... */
	struct buf lock;          /* ... and the name of the lock, escaped; empty: it has none, or there are several */
	char *key;                /* of the finding; null: no schedule showed the race */
	struct finding *finding;  /* null: none */
	enum verdict_class class; /* VERDICT_UNDECIDED: also when it was not reached */
};

struct test_pairs {
	uint64_t tries; /* schedules for each pair */
	/* Adds the pairs, when it is known which woven files the program consists of. Returns 0, or a negative errno with err set. */
	int (*find)(struct test_pairs *self, struct err *err);
	/* All is known of a pair: in their order. */
	void (*done)(struct test_pairs *self, const struct test_pair *pair);
	void *context;

	struct description *programs; /* the woven files, ... */
	char **paths;                 /* ... and where they are */
	size_t program_count;
	struct test_pair *items;
	size_t count;
	bool is_found; /* find was called, and did not fail */
};

/* Appends a pair, whose sites become its own. Returns its number. */
size_t test_pairs_add(struct test_pairs *self, struct site_pair *sites, bool is_proved);
void test_pairs_release(struct test_pairs *self);

/* Whether it is no race as far as schedules show: its accesses were often made to common bytes, and always ordered. */
bool test_pair_is_ordered(const struct test_pair *pair);

/* Instead of test_run: looks for the pairs, stores what is found, and classifies it. Returns 0, or a negative errno with err set. */
int test_run_pairs(struct test *self, struct test_pairs *pairs, struct err *err);

#endif
