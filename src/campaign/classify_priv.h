/*
 * classify_priv.h: what the parts of a classification share. A race is judged by its instances: dynamic pairs of its accesses, each in a
 * schedule that had it. Of each instance both orders are run, and each such run is a witness (model/verdict.h).
 */
#ifndef CAMPAIGN_CLASSIFY_PRIV_H
#define CAMPAIGN_CLASSIFY_PRIV_H

#include "campaign/test_priv.h"

/* Instances that a race is judged by, and how many more are tried when the other order of all these is impossible. */
#define MAX_INSTANCES 8u
#define MORE_INSTANCES 8u
/* Schedules of failures that the test has, and instances of one of them. */
#define FAILED_SCHEDULES 4u
#define SUSPECTS 4u
#define SUSPECTS_ALIKE 2u
#define FAILED_INSTANCES 3u
#define MAX_HOT 8u
/* The same with those of other races. */
#define MAX_HOT_KNOWN 32u
/* Further runs of each order, where outputs vary, as a multiple of the witnesses. */
#define VARIED_FACTOR 2u
/* Runs that others go on from (classify_deeper.c), and the instances in the schedule of one of them. */
#define DEEPER_RUNS 6u
#define DEEPER_INSTANCES 3u
/* Instances of each other input: of the race itself, of another access on the path that the input takes, and of a schedule that fails. */
#define INPUT_INSTANCES 3u
#define INPUT_ROOM (2 * INPUT_INSTANCES + FAILED_INSTANCES)

/* One dynamic pair of the accesses. */
struct instance {
	struct finding seen;    /* its evidence has the trace and the race of this instance; nothing else is set */
	struct steps steps;     /* the switches of the trace */
	bool is_beginning;      /* they do not make all of it: the rest of a run is not that of the trace */
	uint64_t recorded_hash; /* of the events of the trace, ... */
	uint64_t event_count;   /* ... and how many there are */
	uint64_t first;         /* events there were when the first thread went on to its access; 0: not known */
	uint64_t lock;          /* the same of the outermost lock that it had there; 0: none, or not known */
	uint64_t passed;        /* accesses like the second one that the second thread made between the two */
	size_t pair;            /* number of the first instance with the same two places */
	bool is_swapped;        /* its first access is the one that comes second in the first instance */
	const struct test_input *input; /* that its schedule has; null: that of the test */
	bool is_related;                /* it is not about the two lines of the race: see classify_inputs.c */
	uint64_t hot[2];                /* the sites of both accesses, sorted */
	uint32_t hot_count;
	bool is_trace_temporary; /* the file is removed with the instance */
};

struct classify_log;

/* A run to make. */
struct wanted {
	const struct instance *instance;
	bool is_other;
	struct heddle_hold hold;
	uint64_t seed, length;
	const char *keep; /* suffix of the trace of the run, which is only made for that; null: it is a witness */
	char **kept;      /* gets its path */
	bool is_spent;    /* made: the hold lasted until its budget was used up */
};

/* What a witness printed, for showing how it differs. */
struct printed {
	struct buf streams[2];
};

struct classifying {
	struct planner planner; /* first: it is one */
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
	size_t forgotten;          /* that were made and are not among these any more */
	struct witness *witnesses; /* of those that were made, in the same order */
	struct printed *printed;   /* likewise */
	size_t witness_count;
	struct strings failures;  /* what witnesses fail by */
	struct strings summaries; /* what people call each of these */
	uint64_t *consequences;   /* the number of the finding that each of these is; 0: it is none of the test's */
	char *harm_trace;         /* of the first witness that fails; null: none */
	char *harm_marks;         /* where its accesses are, as of struct store_verdict; null: not known */
	bool is_harm_other;       /* that witness has the other order */
	bool is_harm_reverse;     /* of harm_trace: its order is not that of the evidence */
	uint64_t events;          /* of all runs */
	uint64_t checked, check_failed; /* runs that the user's check judged, and those that it rejected */
	char *held_trace;         /* of the first in which the other thread waited in a loop; null: none. Temporary */
	char *suspects[SUSPECTS]; /* traces of runs that fail, perhaps for another reason than the order */
	uint64_t suspect_hashes[SUSPECTS];      /* of their events */
	const char *suspect_failures[SUSPECTS]; /* what each fails by; null: not known */
	bool is_deeper; /* runs go on from one that differs already: one that fails is a suspect */
	size_t suspect_count;
	char *other_trace;   /* of the first witness that has the other order and does not fail; null: none */
	char *other_marks;   /* likewise */
	bool is_from_log;    /* runs get their inputs from the log: see classify_log.h */
	bool can_be_live;    /* a live run does not wait for the outside without an end */
	size_t shown_inputs; /* other inputs with which a schedule showed the race */
	const struct test_input
		*varied; /* the first with which outputs vary in both orders; null: none, or they do without it */
	struct compared_instance *compared; /* of other inputs, then of that of the test */
	size_t compared_count;              /* of other inputs */
	struct strings differing;           /* what differs after both orders, escaped */
	struct classify_log *logs;
	size_t log_count;
	size_t unanswered;       /* runs that ended because the log had no answer */
	char *unanswered_reason; /* of the first of them, escaped; null: there is none */
};

/* Adds a run. event: when the first thread goes on to its access, or to a lock before it (is_lock). A run of the recorded order that
 * is not random is the recorded schedule itself. random: 0: as steps say; otherwise a number that chooses how it is random. The caller has made
 * room in wanted and witnesses. */
void classify_want(struct classifying *self, const struct instance *instance, bool is_other, uint64_t event,
		   bool is_lock, uint64_t random);

/* The same, at random, but what the run prints is compared: both threads stand behind their accesses when it begins. random: not 0. */
void classify_want_followed(struct classifying *self, const struct instance *instance, bool is_other, uint64_t random);

/* Whether some run of that instance had the other order. */
bool classify_has_other(const struct classifying *self, size_t instance);

/* Whether a run that has the finding violates the specification: it fails, other than by what it prints. */
bool classify_is_failure(const struct finding *finding);

/* The other order of an instance once more, as the steps say, but where the first thread stopped to let the second come in the recorded order it does something
 * else: then both are nearer to where they were there. */
void classify_want_onward(struct classifying *self, const struct instance *instance, enum heddle_hold_onward onward);

/* What the first thread of an instance is held by: for the other order before its access, else behind it. */
struct heddle_hold classify_hold(const struct instance *instance, bool is_other, uint64_t event, bool is_lock,
				 bool is_random);

/* A campaign like that of the test for runs of a classification, with numbers of its own and within its time; the caller sets planner, take and
 * context. Returns 0, or a negative errno with err set when there is no time left. */
int classify_campaign(const struct classifying *self, struct campaign *campaign, struct err *err);

/* Compares the states after both orders of each instance: sets states and analyzer of the verdict; the latter is about the input of the test only. Returns
 * 0, or a negative errno with err set: then nothing is known. */
int classify_compare(struct classifying *self, struct verdict *verdict, struct err *err);
/* The same beforehand of instances with the input that schedules have now. */
void classify_compare_input(struct classifying *self, size_t from, size_t until);

/* Runs all that is wanted and was not run yet. Returns 0, or a negative errno with err set. */
int classify_serve(struct classifying *self, struct err *err);

/* The race as the test recorded it becomes the first instance; then others of the same schedule and of other schedules are
 * added, as many as most in all. What cannot be found is left out. Returns 0, or a negative errno with err set when there is
 * not even the first. */
int classify_find_instances(struct classifying *self, size_t most, struct err *err);

struct instance *classify_add_instance(struct classifying *self, const struct report_race *race, char *trace,
				       bool is_temporary);

/* Whether it is one of the pairs that the finding is about: its places are on the same lines. */
bool classify_is_variant(struct classifying *self, const struct report_race *race);
/* Whether that is so and no instance has these places yet. */
bool classify_is_new_variant(struct classifying *self, const struct report_race *race);

/* Counts the instances in the recorded schedule, which is that of the first instance. Adds pairs of other places there that the finding is about, and
 * some of the instances, as many as most in all. Returns 0, or a negative errno with err set: none is known. */
int classify_replay_instances(struct classifying *self, size_t most, struct err *err);

/* Adds the race of another schedule, and instances there, as many as most in all. is_open: none whose later thread wrote there between the two accesses, because with the accesses in the
 * other order that write comes first, too. Adds none, and returns 0, when that does not have it.
 * Returns 0, or a negative errno with err set. */
int classify_add_schedule(struct classifying *self, const char *trace, bool is_open, size_t most, struct err *err);

/* Finds the switches of the schedule of an instance, and its first access there. Returns 0, or a negative errno with err set. */
int classify_prepare(struct classifying *self, struct instance *instance, struct err *err);

/* No witness fails so far. The schedules of suspects and of failures that the test has are tried: one that has the race, and fails only as long as its accesses are in
 * that order, makes witnesses. from: the first finding of the test that is tried. Returns 0, or a negative errno with err set. */
int classify_try_failures(struct classifying *self, size_t from, struct err *err);

/* The same with schedules that are searched for that, in a program of which a failure is known. instance: the first with the input that schedules have now. count: runs of
 * each order. */
int classify_seek_failures(struct classifying *self, size_t instance, uint64_t count, struct err *err);

/* What the run fails by, if it does: *failure is null otherwise. Returns 0, or a negative errno with err set. */
int classify_find_failure(struct classifying *self, const struct campaign_run *run, const struct lesson *learned,
			  const char **failure, struct err *err);

/* Adds some of those that were counted, as many as most in all. */
void classify_take_told(struct classifying *self, size_t most);
void classify_drop_last(struct classifying *self);

/* Where to hold the first thread of an instance: before its access, or before the outermost lock that it has there,
 * which the other may need. 0: not known. */
uint64_t classify_first_event(struct classifying *self, struct instance *instance, bool is_at_lock, struct err *err);

/* What the user's check says of a run begins like this in failures. */
#define CLASSIFY_CHECK "check "

/* Whether the runs so far were so long that no more are made. */
bool classify_is_spent(const struct classifying *self);
/* What the next runs may take, in seconds of real time. */
double classify_seconds(const struct classifying *self);
/* After runs that ended so. Returns 0, or -ETIME with err set when some were not made for lack of time or events. */
int classify_check_spent(const struct classifying *self, enum campaign_end end, struct err *err);
/* If the user's check rejects every run it says nothing: takes it back from the witnesses, and returns -EINVAL with err set; else 0. */
int classify_doubt_check(struct classifying *self, struct err *err);
/* Whether held_trace, of a run whose hold used up its budget, shows a loop of the second thread that only the thread that was held ends. */
bool classify_shows_wait(struct classifying *self);
/* Why it is harmless, if it is: sets the reason of the verdict, and presentation.why. Nothing is set when facts do not show it. */
void classify_find_reason(struct classifying *self);

/* Adds the place to those in hot, which are sorted, if there is room. A call of the heap is no site. */
void classify_add_hot(uint64_t *hot, uint32_t *count, uint32_t room, const struct report_access *access);

/* The sites of the race and of the other races that the test found, sorted: what it leads to may need those, too. */
void classify_known_hot(const struct classifying *self, uint64_t hot[MAX_HOT_KNOWN], uint32_t *count);

/* Whether both places are on the same line. */
bool classify_is_alike(struct classifying *self, const struct report_access *a, const struct report_access *b);

/* Runs both orders of the instances from that one on: count runs of each, shared among them; then again with the hold before a lock
 * where the other order was impossible. Returns 0, or a negative errno with err set. */
int classify_run_from(struct classifying *self, size_t from, uint64_t count, struct err *err);

/* Adds the last instances in the schedule of an instance, as many as most in all. What cannot be replayed has none. */
void classify_add_last(struct classifying *self, const struct instance *instance, size_t most);

/* Keeps a run that fails, perhaps for another reason than the order: a suspect. Of one failure two are kept. failure: null if it is not known. Returns
 * 0, or a negative errno with err set. */
int classify_keep_suspect(struct classifying *self, const struct campaign_run *run, const char *failure,
			  struct err *err);

/* Wants the run of a witness again, only to keep its trace. kept gets the path; the suffix stays the caller's. */
void classify_want_again(struct classifying *self, const struct witness *witness, const char *suffix, char **kept);

/* No witness fails so far, but outputs differ. Runs that ended differently are gone on from, to find what the race leads to in several
 * steps. count: runs of each order from each. Returns 0, or a negative errno with err set. */
int classify_go_deeper(struct classifying *self, uint64_t count, struct err *err);

/* Forgets the runs from that one on, and the instances that they are of. All runs that are wanted were made. */
void classify_forget(struct classifying *self, size_t witnesses, size_t instances);

/* The schedules of suspects, as in classify_try_failures. Returns 1 when one makes witnesses. */
int classify_try_suspects(struct classifying *self, struct err *err);
void classify_drop_suspects(struct classifying *self);

/* How many runs classify_inputs wants at most. count: runs of each order. */
size_t classify_inputs_room(const struct classifying *self, uint64_t count);
/* Judges the race with the other inputs, too, unless it is harmful without them: adds instances and witnesses. An input that does not show the race, or
 * with which the program fails whatever the order, adds none. count: runs of each order. */
void classify_inputs(struct classifying *self, uint64_t count);
/* If the verdict comes from another input, keeps the two runs that show it, both with that input. */
void classify_keep_input(struct classifying *self, const struct verdict *verdict);

/* Removes the traces of the runs that show the verdict. */
void classify_drop_evidence(struct classifying *self);

void classify_release_instances(struct classifying *self);

#endif
