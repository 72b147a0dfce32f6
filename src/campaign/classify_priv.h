/*
 * classify_priv.h: declarations that the parts of a classification share. A race is judged by its instances: dynamic
 * pairs of its accesses, each in a schedule that had it. Both orders of each instance are run, and each such run is a
 * witness (model/verdict.h).
 */
#ifndef CAMPAIGN_CLASSIFY_PRIV_H
#define CAMPAIGN_CLASSIFY_PRIV_H

#include "campaign/test_priv.h"

/* The number of instances that a race is judged by, and of further ones that are tried if the other order of all these
 * is impossible. */
#define MAX_INSTANCES 8u
#define MORE_INSTANCES 8u
/* Limits on the failing schedules of the test that are tried, on suspects, on suspects with the same failure, and on
 * the instances in one of these schedules. */
#define FAILED_SCHEDULES 4u
#define SUSPECTS 4u
#define SUSPECTS_ALIKE 2u
#define FAILED_INSTANCES 3u
/* Hot sites of the race; and with those of other races. */
#define MAX_HOT 8u
#define MAX_HOT_KNOWN 32u
/* If outputs vary, the number of further runs of each order, as a multiple of the witnesses. */
#define VARIED_FACTOR 2u
/* Runs that other runs continue from (classify_deeper.c), and the instances in the schedule of one of them. */
#define DEEPER_RUNS 6u
#define DEEPER_INSTANCES 3u
/* Instances of each other input: of the race itself, of another access on the path that the input takes, and of a
 * schedule that fails. */
#define INPUT_INSTANCES 3u
#define INPUT_ROOM (2 * INPUT_INSTANCES + FAILED_INSTANCES)

/* One dynamic pair of the accesses. */
struct instance {
	struct finding seen;    /* only its evidence is set: the trace and the race of this instance */
	struct steps steps;     /* the switches of the trace */
	bool is_beginning;      /* they are only the first ones: a run follows the trace only that far */
	uint64_t recorded_hash; /* over the events of the trace */
	uint64_t event_count;   /* of the trace */
	uint64_t first;         /* number of events when the first thread continued to its access; 0: not known */
	uint64_t lock;          /* the same for the outermost lock that it held there; 0: none, or not known */
	uint64_t passed;        /* accesses like the second one that the second thread made between the two */
	size_t pair;            /* number of the first instance with the same two places */
	bool is_swapped;        /* its first access is the second one of the first instance */
	const struct test_input *input; /* the input of its schedule; null: that of the test */
	bool is_related;                /* it is at other lines than those of the race: see classify_inputs.c */
	uint64_t hot[2];                /* the sites of both accesses, sorted */
	uint32_t hot_count;
	bool is_trace_temporary; /* the file is removed with the instance */
};

struct classify_log;

/* A run to make. */
struct wanted {
	const struct instance *instance;
	bool is_other; /* in the other order */
	struct heddle_hold hold;
	uint64_t seed, length;
	const char *keep; /* the run is made only to keep its trace, with this suffix; null: it is a witness */
	char **kept;      /* gets the path of that trace */
	bool is_spent;    /* result: the hold lasted until its budget was used up */
};

/* The output of a witness, to show how outputs differ. */
struct printed {
	struct buf streams[2];
};

struct classifying {
	struct planner planner; /* the base struct */
	struct test *test;
	struct finding *race;
	struct instance *instances; /* room for MAX_INSTANCES, MORE_INSTANCES, FAILED_INSTANCES and
				       DEEPER_INSTANCES, and INPUT_ROOM for each input */
	size_t instance_count;
	struct heddle_instance told[HEDDLE_INSTANCES]; /* of the recorded schedule */
	uint64_t seen_instances;                       /* counted in the recorded schedule */
	uint64_t hot[MAX_HOT];                         /* the sites of the accesses of all instances, sorted */
	uint32_t hot_count;
	struct wanted *wanted;
	size_t wanted_count, asked;
	size_t forgotten;          /* number of runs that were made and are no longer in wanted */
	struct witness *witnesses; /* of the runs that were made, in the same order */
	struct printed *printed;   /* their outputs, in the same order */
	size_t witness_count;
	struct strings failures;        /* the failures of witnesses */
	struct strings summaries;       /* the summary of each failure, for people */
	uint64_t *consequences;         /* the number of the finding for each failure; 0: no finding of the test */
	char *harm_trace;               /* of the first witness that fails; null: none */
	char *harm_marks;               /* where its accesses are, as in struct store_verdict; null: not known */
	bool is_harm_other;             /* that witness has the other order */
	bool is_harm_reverse;           /* the order of harm_trace is not that of the evidence */
	uint64_t events;                /* of all runs */
	uint64_t checked, check_failed; /* runs that the user's check judged, and those that it rejected */
	char *held_trace;         /* of the first run whose other thread waited in a loop; null: none. Temporary */
	char *suspects[SUSPECTS]; /* traces of runs that fail, possibly not because of the order */
	uint64_t suspect_hashes[SUSPECTS];      /* of their events */
	const char *suspect_failures[SUSPECTS]; /* the failure of each; null: not known */
	bool is_deeper; /* runs continue from one that differs already, so one that fails is a suspect */
	size_t suspect_count;
	char *other_trace;   /* of the first witness that has the other order and does not fail; null: none */
	char *other_marks;   /* where its accesses are, as for harm_marks */
	bool is_from_log;    /* runs get their inputs from the log: see classify_log.h */
	bool can_be_live;    /* a live run does not wait for the outside for ever */
	size_t shown_inputs; /* number of other inputs with which a schedule showed the race */
	const struct test_input
		*varied; /* the first with which outputs vary in both orders; null: none, or they do without it */
	struct compared_instance *compared; /* of other inputs, then of that of the test */
	size_t compared_count;              /* of other inputs */
	struct strings differing;           /* what differs after both orders, escaped */
	struct classify_log *logs;
	size_t log_count;
	size_t unanswered;       /* number of runs that ended because the log had no answer */
	char *unanswered_reason; /* of the first of these, escaped; null: there is none */
};

/* Adds a run to wanted. event: the event at which the first thread continues to its access, or to a lock before it
 * (is_lock). random: 0 if the run follows the steps of the instance; otherwise a number that selects one of its random
 * variations. A run of the recorded order with random 0 is the recorded schedule itself. The caller has made room in
 * wanted and witnesses. */
void classify_want(struct classifying *self, const struct instance *instance, bool is_other, uint64_t event,
		   bool is_lock, uint64_t random);

/* The same with random other than 0, for comparing outputs: the random part of the run begins when both threads have
 * made their accesses. */
void classify_want_followed(struct classifying *self, const struct instance *instance, bool is_other, uint64_t random);

/* Whether some run of that instance had the other order. */
bool classify_has_other(const struct classifying *self, size_t instance);

/* Whether a run with this finding violates the specification: it fails, and not only by printing something else. */
bool classify_is_failure(const struct finding *finding);

/* Adds another run of the other order of an instance that follows the steps, except at the point where the first thread
 * stopped in the recorded order to let the second continue: there it does as `onward` says, so that both threads are
 * nearer to where they were in the recorded run. */
void classify_want_onward(struct classifying *self, const struct instance *instance, enum heddle_hold_onward onward);

/* Returns the hold for the first thread of an instance: before its access for the other order, otherwise after it. */
struct heddle_hold classify_hold(const struct instance *instance, bool is_other, uint64_t event, bool is_lock,
				 bool is_random);

/* Fills in a campaign like that of the test, for runs of a classification: with its own numbers of schedules and within
 * the time for classification. The caller sets planner, take and context. Returns 0, or a negative errno with err set
 * when no time is left. */
int classify_campaign(const struct classifying *self, struct campaign *campaign, struct err *err);

/* Compares the states after both orders of each instance, and sets states and analyzer of the verdict; analyzer covers
 * only the input of the test. Returns 0, or a negative errno with err set: then nothing is known. */
int classify_compare(struct classifying *self, struct verdict *verdict, struct err *err);
/* Compares them in advance for the instances from `from` to `until`, which have the input that schedules have now. */
void classify_compare_input(struct classifying *self, size_t from, size_t until);

/* Makes all wanted runs that were not made yet. Returns 0, or a negative errno with err set. */
int classify_serve(struct classifying *self, struct err *err);

/* Makes the race as the test recorded it the first instance, and then adds other instances of the same schedule and of
 * other schedules, at most `most` in all. Instances that cannot be found are left out. Returns 0, or a negative errno
 * with err set if even the first cannot be found. */
int classify_find_instances(struct classifying *self, size_t most, struct err *err);

struct instance *classify_add_instance(struct classifying *self, const struct report_race *race, char *trace,
				       bool is_temporary);

/* Whether the race is one of the pairs of the finding: its places are on the same lines. */
bool classify_is_variant(struct classifying *self, const struct report_race *race);
/* Whether it is one of them and no instance has these places yet. */
bool classify_is_new_variant(struct classifying *self, const struct report_race *race);

/* Counts the instances in the recorded schedule, which is that of the first instance. Adds instances there, at most
 * `most` in all: the finding's pairs of other places, and some of those that were counted. Returns 0, or a negative
 * errno with err set: then none are known. */
int classify_replay_instances(struct classifying *self, size_t most, struct err *err);

/* Adds the race as another schedule has it, and instances there, at most `most` in all. is_open: leaves out instances
 * whose later thread wrote to the memory between the two accesses, because in the other order that write comes first,
 * too. If the schedule does not have the race, adds none and returns 0. Returns 0, or a negative errno with err set. */
int classify_add_schedule(struct classifying *self, const char *trace, bool is_open, size_t most, struct err *err);

/* Finds the switches of the schedule of an instance, and its first access there. Returns 0, or a negative errno with
 * err set. */
int classify_prepare(struct classifying *self, struct instance *instance, struct err *err);

/* Call it when no witness fails so far. Tries the schedules of suspects and of the test's failures: a schedule that has
 * the race, and that fails only with its accesses in that order, adds witnesses. from: the first finding of the test to
 * try. Returns 0, or a negative errno with err set. */
int classify_try_failures(struct classifying *self, size_t from, struct err *err);

/* Does the same with schedules that it searches for, in a program with a known failure. instance: the first one with
 * the input that schedules have now. count: runs of each order. */
int classify_seek_failures(struct classifying *self, size_t instance, uint64_t count, struct err *err);

/* Sets *failure to the failure of the run, or to null if it does not fail. Returns 0, or a negative errno with err
 * set. */
int classify_find_failure(struct classifying *self, const struct campaign_run *run, const struct lesson *learned,
			  const char **failure, struct err *err);

/* Adds some of the instances that were counted, at most `most` in all. */
void classify_take_told(struct classifying *self, size_t most);
void classify_drop_last(struct classifying *self);

/* Returns the event at which to hold the first thread of an instance: before its access or, if is_at_lock, before the
 * outermost lock that it holds there, which the other thread may need. Returns 0 if it is not known. */
uint64_t classify_first_event(struct classifying *self, struct instance *instance, bool is_at_lock, struct err *err);

/* The prefix of entries in failures that come from the user's check. */
#define CLASSIFY_CHECK "check "

/* Whether the runs so far were so long that no further runs are made. */
bool classify_is_spent(const struct classifying *self);
/* Returns the time limit of the next runs, in seconds of real time. */
double classify_seconds(const struct classifying *self);
/* Call it after a campaign with this end. Returns 0, or -ETIME with err set if some runs were not made for lack of time
 * or events. */
int classify_check_spent(const struct classifying *self, enum campaign_end end, struct err *err);
/* If the user's check rejects every run, it means nothing: then removes its results from the witnesses, and returns
 * -EINVAL with err set. Otherwise returns 0. */
int classify_doubt_check(struct classifying *self, struct err *err);
/* Whether held_trace, the trace of a run whose hold used up its budget, shows that the second thread is in a loop that
 * only the held thread can end. */
bool classify_shows_wait(struct classifying *self);
/* Finds out why the race is harmless, if it is: sets the reason of the verdict, and presentation.why. Sets nothing if
 * the facts do not show a reason. */
void classify_find_reason(struct classifying *self);

/* Adds the site of the access to hot, which is sorted, if there is room. A call of the heap has no site and is not
 * added. */
void classify_add_hot(uint64_t *hot, uint32_t *count, uint32_t room, const struct report_access *access);

/* Fills in the sites of the race and of the other races that the test found, sorted: its consequences may depend on
 * those, too. */
void classify_known_hot(const struct classifying *self, uint64_t hot[MAX_HOT_KNOWN], uint32_t *count);

/* Whether both places are on the same line. */
bool classify_is_alike(struct classifying *self, const struct report_access *a, const struct report_access *b);

/* Runs both orders of the instances from number `from` on: count runs of each order, shared among the instances. Where
 * the other order was impossible, runs it again with the hold before a lock. Returns 0, or a negative errno with err
 * set. */
int classify_run_from(struct classifying *self, size_t from, uint64_t count, struct err *err);

/* Adds the last instances in the schedule of an instance, as many as most in all. What cannot be replayed has none. */
void classify_add_last(struct classifying *self, const struct instance *instance, size_t most);

/* Keeps a run that fails, perhaps for another reason than the order: a suspect. Of one failure two are kept. failure:
 * null if it is not known. Returns 0, or a negative errno with err set. */
int classify_keep_suspect(struct classifying *self, const struct campaign_run *run, const char *failure,
			  struct err *err);

/* Adds the run of a witness to wanted again, only to keep its trace. *kept gets the path; suffix stays the caller's. */
void classify_want_again(struct classifying *self, const struct witness *witness, const char *suffix, char **kept);

/* Call it when no witness fails so far, but outputs differ. Makes runs that continue from those that ended differently,
 * to find consequences of the race that need several steps. count: runs of each order from each of these. Returns 0, or
 * a negative errno with err set. */
int classify_go_deeper(struct classifying *self, uint64_t count, struct err *err);

/* Forgets the witnesses and the instances with these numbers and all later ones. Call it only when all wanted runs were
 * made. */
void classify_forget(struct classifying *self, size_t witnesses, size_t instances);

/* Tries the schedules of suspects, as classify_try_failures does. Returns 1 when one has added witnesses, 0 when none
 * has, or a negative errno with err set. */
int classify_try_suspects(struct classifying *self, struct err *err);
void classify_drop_suspects(struct classifying *self);

/* Returns the maximum number of runs that classify_inputs adds to wanted. count: runs of each order. */
size_t classify_inputs_room(const struct classifying *self, uint64_t count);
/* Judges the race with the other inputs, too, unless it is harmful without them: adds instances and witnesses. An input
 * adds none if it does not show the race, or if the program fails with it in both orders. count: runs of each order. */
void classify_inputs(struct classifying *self, uint64_t count);
/* If the verdict comes from another input, keeps the traces of two runs that show it, both with that input. */
void classify_keep_input(struct classifying *self, const struct verdict *verdict);

/* Removes the traces of the runs that show the verdict. */
void classify_drop_evidence(struct classifying *self);

void classify_release_instances(struct classifying *self);

#endif
