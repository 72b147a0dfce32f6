/*
 * classify_priv.h: what the parts of a classification share. A race is judged by its instances: dynamic pairs of its accesses, each in a
 * schedule that had it. Of each instance both orders are run, and each such run is a witness (model/verdict.h).
 */
#ifndef CAMPAIGN_CLASSIFY_PRIV_H
#define CAMPAIGN_CLASSIFY_PRIV_H

#include "campaign/test_priv.h"

#define MAX_INSTANCES 8u

/* One dynamic pair of the accesses. */
struct instance {
	struct finding seen;     /* its evidence has the trace and the race of this instance; nothing else is set */
	struct steps steps;      /* the switches of the trace */
	uint64_t recorded_hash;  /* of the events of the trace */
	uint64_t first;          /* events there were when the first thread went on to its access; 0: not known */
	uint64_t lock;           /* the same of the outermost lock that it had there; 0: none, or not known */
	uint64_t passed;         /* accesses like the second one that the second thread made between the two */
	bool is_swapped;         /* its first access is the one that comes second in the first instance */
	bool is_trace_temporary; /* the file is removed with the instance */
};

/* A run to make. */
struct wanted {
	const struct instance *instance;
	bool is_other;
	struct heddle_hold hold;
	uint64_t seed;
};

struct classifying {
	struct planner planner; /* first: it is one */
	struct test *test;
	struct finding *race;
	struct instance instances[MAX_INSTANCES];
	size_t instance_count;
	uint64_t seen_instances; /* counted in the recorded schedule */
	uint64_t hot[2];         /* the sites of both accesses, sorted */
	uint32_t hot_count;
	struct wanted *wanted;
	size_t wanted_count, asked;
	struct witness *witnesses; /* of those that were made, in the same order */
	size_t witness_count;
	struct strings failures;  /* what witnesses fail by */
	struct strings summaries; /* what people call each of these */
	uint64_t *consequences;   /* the number of the finding that each of these is; 0: it is none of the test's */
	char *harm_trace;         /* of the first witness that fails; null: none */
	bool is_harm_other;       /* that witness has the other order */
	char *other_trace;        /* of the first witness that has the other order and does not fail; null: none */
};

/* Adds a run. event: when the first thread goes on to its access, or to a lock before it (is_lock). A run of the recorded order that
 * is not random is the recorded schedule itself. The caller has made room in wanted and witnesses. */
void classify_want(struct classifying *self, const struct instance *instance, bool is_other, uint64_t event,
		   bool is_lock, bool is_random);

/* Runs all that is wanted and was not run yet. Returns 0, or a negative errno with err set. */
int classify_serve(struct classifying *self, struct err *err);

/* The race as the test recorded it becomes the first instance; then others of the same schedule and of other schedules are
 * added, as many as most in all. What cannot be found is left out. Returns 0, or a negative errno with err set when there is
 * not even the first. */
int classify_find_instances(struct classifying *self, size_t most, struct err *err);

struct instance *classify_add_instance(struct classifying *self, const struct report_race *race, char *trace,
				       bool is_temporary);

/* Counts the instances in the recorded schedule, which is that of the first instance, and adds some of them, as many as most in all. Returns 0, or
 * a negative errno with err set: none is known. */
int classify_replay_instances(struct classifying *self, size_t most, struct err *err);

/* Where to hold the first thread of an instance: before its access, or before the outermost lock that it has there,
 * which the other may need. 0: not known. */
uint64_t classify_first_event(struct classifying *self, struct instance *instance, bool is_at_lock, struct err *err);

void classify_release_instances(struct classifying *self);

#endif
