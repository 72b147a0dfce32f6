/* test_priv.h: what the parts of heddle test share. */
#ifndef CMD_TEST_PRIV_H
#define CMD_TEST_PRIV_H

#include <stdio.h>

#include "cmd/check.h"
#include "cmd/judge.h"
#include "cmd/outputs.h"
#include "cmd/play.h"
#include "cmd/progress.h"
#include "cmd/suppress.h"
#include "cmd/tell.h"
#include "store/record.h"
#include "store/running.h"
#include "trace/steps.h"

/* The options that heddle run does not have; the others are in run_asked. */
struct test_asked {
	const char *check, *input, *output, *store, *color;
	struct outputs outputs;
	uint64_t seconds, findings; /* RUN_NUMBER_NONE: not given */
	uint64_t fixed_after;
	uint64_t audits;             /* schedules that check what was proved; RUN_NUMBER_NONE: not given */
	uint64_t reduce;             /* runs; RUN_NUMBER_NONE: not given */
	struct strings suppressions; /* files */
	bool is_unwoven_allowed;
	bool is_sandboxed, is_quiet, is_stopping, is_going_on;
};

extern struct test_asked test_asked;

/* What evidence is replayed for. */
enum test_replay { TEST_REPLAY_STACKS, TEST_REPLAY_THREADS, TEST_REPLAY_KINDS };

/* Findings that something is to be done with, in their order; not its own. */
struct findings_queue {
	struct finding **items;
	size_t count;
};

/* One test, from its options to its exit status. */
struct test {
	struct trace trace; /* how the program is started */
	struct campaign campaign;
	struct judge judge;
	struct known known; /* what runs need not tell by lines */
	char *program;      /* what is run, for names: see evidence_program */
	struct check check;
	struct suppressions suppressions;
	size_t suppressed_count; /* findings */

	struct store *store;
	struct store_test stored;            /* this test in it */
	struct running running;              /* and what others know of it */
	char *identity, *weave, *short_path; /* of the build, of the program */
	char *log_path;                      /* where logs of runs may be */
	bool is_woven;
	char *why_unwoven;      /* what reading its tables said; null: it is woven */
	struct strings unwoven; /* names of files with code that is not woven, without those of the system */
	bool is_woven_checked;
	bool is_endless;      /* no schedule ends, and none will */
	bool is_untested;     /* no woven code ran under control */
	bool has_started;     /* other processes */
	uint32_t hidden_most; /* threads of OpenMP in one schedule */

	/* What is to be said at the end. */
	bool is_cut;                 /* an error ended it */
	struct strings notes;        /* each once */
	struct strings opaque;       /* inline assembly that ran and is not understood: notes, too */
	struct strings lost;         /* why schedules could not be had, each once */
	uint64_t lost_count;         /* schedules that could not be had */
	uint64_t threads_most;       /* of one schedule */
	uint64_t event_count;        /* of all schedules of the campaign */
	uint64_t longest;            /* events of a schedule that ended by itself; 0: there was none */
	uint64_t longest_unfair;     /* the same of those without a fair tail */
	uint64_t long_enough;        /* events of schedules that were long although threads took turns, and some more */
	uint64_t fair_count;         /* schedules that ended in a fair tail */
	double longest_seconds;      /* the same in real time */
	uint64_t unfinished_count;   /* schedules that were cut off when nobody knew yet how long they should be */
	uint64_t unfinished_events;  /* the most that one of them had */
	uint64_t unfinished_seconds; /* without an event, after which one of them was called a hang; 0: none was */
	bool is_unfinished_signal;   /* one of them waited for a signal */
	uint64_t livelock_count;     /* schedules that ended as a livelock, finding or not */
	uint64_t hang_count;         /* schedules that ended as a hang, finding or not */
	uint64_t steer_runs;         /* schedules behind those of the campaign, towards deadlocks */
	uint64_t reduce_runs;        /* runs besides schedules, to reduce failures */
	double reduce_seconds;       /* what they took */
	const struct finding *reduced; /* that is being reduced now; null: none */
	bool has_orders;               /* some schedule had a lock order that could deadlock */
	double began;                  /* when the campaign began */
	struct strings files;          /* what was in the working directory before */
	struct judged second;          /* of a second run: see test_confirm.c */
	bool is_single;                /* ended because there is nothing to interleave */
	struct progress_line line;
	struct coverage coverage;
	struct teller teller;

	/* What details are still to come of: see test_detail.c. */
	struct findings_queue waiting;             /* for a second pass */
	struct findings_queue unshown;             /* described and stored */
	struct play play;                          /* of the schedule whose findings are shown now */
	bool is_searching;                         /* the campaign is not over */
	uint64_t replay_events[TEST_REPLAY_KINDS]; /* and what replays take to start */
	uint64_t replay_count;
	double replay_seconds;
	double details_until; /* with --time, when the search is over */
	/* Ids of findings that are reported without stacks, without threads; and that it is not known of whether they are suppressed. */
	struct buf undescribed, unplayed, undecided;
	size_t undescribed_count, unplayed_count, undecided_count;
};

/* Set when the user wants it to end. */
extern volatile sig_atomic_t test_is_stopped;

/* Opens what all runs get as their standard input. Returns the descriptor, or a negative errno with err set. */
int test_input(struct test *self, struct err *err);

/* Adds a note, unless it is there. */
void test_note(struct strings *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the program's own file is woven. */
void test_find_woven(struct test *self);

/* After each schedule: whether woven code ran, and what ran unobserved. Returns 0, or a negative errno with err set when nothing
 * is tested. */
int test_check_woven(struct test *self, const struct campaign_run *run, const struct report *report, struct err *err);

/* The campaign is over: notes what ran unobserved. */
void test_note_unobserved(struct test *self);

/* Whether a run was ended because nothing came from outside. */
bool test_is_outside(const struct report *report);

/* A schedule was cut off and none has ended. Returns 0 when the next may be longer, or a negative errno with err set: then the program
 * never ends by itself. */
int test_fail_endless(struct test *self, const struct campaign_run *run, const struct report *report, struct err *err);
/* The same of a program that waits for a signal. */
int test_fail_signal(struct test *self, const struct report *report, struct err *err);

/* Runs the campaign. Returns 0, or a negative errno with err set. */
int test_serve(struct test *self, struct err *err);

/* What a second run of a schedule showed that seemed to be a livelock or a hang. */
enum confirmed {
	CONFIRMED_NOT,   /* nothing: there was no time */
	CONFIRMED_STUCK, /* it is one */
	CONFIRMED_ENDS,  /* it only took longer */
};

typedef int test_take(struct test *self, const struct campaign_run *run, const struct lesson *learned, struct err *err);

/* Runs the schedule again with much larger limits. take_ended is called with the second run when that ends. Returns 0, or a
 * negative errno with err set. */
int test_confirm(struct test *self, const struct campaign_run *run, test_take *take_ended, enum confirmed *confirmed,
		 struct err *err);

/* Reduces the schedules of failures, or takes what an earlier test made of them. That one cannot be reduced is a note. */
void test_reduce(struct test *self);

/* The switches of the schedule that a trace of the test's program has, from a replay of it. Returns 0, or a negative errno with
 * err set. */
int test_find_steps(const struct test *test, const struct trace *recorded, struct steps *steps, struct err *err);

/* Appends what must run between what to what the finding needs, from a replay of its evidence; the steps are those of its schedule that
 * matter. What cannot be had is left out: the finding is told without it. */
void test_tell_between(const struct test *test, struct finding *finding, const struct heddle_step *steps,
		       size_t step_count);

/* A new finding that has an origin and evidence: it is described when there is time for that. */
void test_await(struct test *self, struct finding *finding);

/* A new finding that is described: stores it; it is shown when there is time for that. Returns 0, or a negative errno with err set. */
int test_show_end(struct test *self, struct finding *finding, struct err *err);

/* Describes, stores and shows findings that wait: some, while the search goes on, and then all of them, in the end without replays.
 * Return 0, or a negative errno with err set: one could not be stored, and is shown all the same. */
int test_detail_some(struct test *self, struct err *err);
int test_detail_rest(struct test *self, struct err *err);

/* Notes what is missing of findings; at the end. */
void test_note_details(struct test *self);
void test_note_unplayed(struct test *self, const struct finding *finding);
void test_release_details(struct test *self);

/* Whether there is a replay left for what is told; and what one took. */
bool test_may_replay(const struct test *self, enum test_replay kind);
void test_count_replays(struct test *self, enum test_replay kind, uint64_t replays, uint64_t events, double began);

/* Whether there is --time; and when that is over, of the monotonic clock: 0 without it. */
bool test_is_timed(void);
double test_deadline(const struct test *self);

/* What the replays for the findings of a schedule may take. */
double test_detail_seconds(const struct test *self);

/* For what a failure that is reduced needs behind that: the runs before must not be for nothing. */
#define TEST_SECONDS_KEEP 10.0
double test_keep_deadline(const struct test *self);

/* Whether the threads of findings are printed or reported. */
bool test_wants_threads(void);

/* Opens the store, and says in it that the test began. Returns 0, or a negative errno with err set. */
int test_open_store(struct test *self, struct err *err);

/* Stores the finding, and sets its number. Returns 0, or a negative errno with err set. */
int test_store(struct test *self, struct finding *finding, struct err *err);

/* Stores whether it is suppressed. Returns 0, or a negative errno with err set. */
int test_store_suppression(struct test *self, struct finding *finding, struct err *err);

/* Whether the store refers to that evidence; null is none. */
bool test_is_kept(struct test *self, const char *trace);

/* Stores what a failure needs, and the trace of the reduced schedule. Returns 0, or a negative errno with err set. */
int test_store_needs(struct test *self, const struct finding *finding, struct err *err);

/* Stores how many schedules there were, and notes what is fixed. Returns 0, or a negative errno with err set. */
int test_close_store(struct test *self, struct err *err);

/* Findings that are not suppressed. */
size_t test_told_count(const struct test *self);

/* Whether there are as many of them as the user wants. */
bool test_has_enough(const struct test *self);

/* The campaign is over: steers schedules towards what lock orders could lead to, as far as that was not done yet. Returns 0,
 * or a negative errno with err set. */
int test_steer(struct test *self, struct err *err);

/* Tells the lock orders of which no schedule showed the deadlock. Returns 0, or a negative errno with err set. */
int test_tell_orders(struct test *self, struct err *err);

/* Whether there is something to reduce in it. */
bool test_is_reducible(const struct finding *finding);

double test_now(void);

/* Printing. Progress goes to standard error, unused suppressions go there, too; everything else to
 * standard output. A finding is told once, unless it is suppressed. */
void test_say_finding(struct test *self, struct finding *finding);
void test_say_reduced(struct test *self, struct finding *finding);
/* One that could not be reduced: the threads as they were. */
void test_say_found(struct test *self, struct finding *finding);
void test_say_progress(struct test *self);
void test_clear_progress(struct test *self);
void test_say_summary(struct test *self);

/* Appends what was found as JSON. */
void test_json(const struct test *self, struct buf *out);

/* Writes what was found in the formats that were asked for. Returns 0, or a negative errno with err set. */
int test_write_reports(struct test *self, struct err *err);

#endif
