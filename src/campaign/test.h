/*
 * test.h: a test of a program, from its first schedule to the stored findings: many schedules, each judged; details of
 * what is new from replays; failures reduced to the fewest preemptions; all of it kept in the store. Nothing here
 * prints: a listener gets what there is to report, and notes are collected for the end.
 *
 * The way of a test: test_init, test_prepare, test_open_input, test_run, test_release.
 */
#ifndef CAMPAIGN_TEST_H
#define CAMPAIGN_TEST_H

#include <signal.h>

#include "campaign/inputs.h"
#include "campaign/run_request.h"
#include "campaign/without.h"
#include "explore/campaign.h"
#include "explore/enough.h"
#include "judge/check.h"
#include "judge/judge.h"
#include "judge/suppress.h"
#include "narrate/lacking.h"
#include "narrate/progress.h"
#include "narrate/timeline.h"
#include "store/record.h"
#include "store/running.h"

/* Which data races are classified. */
enum classify_which {
	TEST_CLASSIFY_ONLY_NEW, /* those that no test of this build has judged, within a part of the test */
	TEST_CLASSIFY_YES,      /* all of them, whatever that takes */
	TEST_CLASSIFY_NO,
};

/* What is asked of a test. Texts are null and numbers RUN_NUMBER_NONE when they were not given, unless stated
 * otherwise. */
struct test_request {
	struct run_request run; /* strategy: a planner's name, depth: the planner's */
	uint64_t runs;          /* schedules; 0: no limit */
	uint64_t jobs;          /* at least 1 */
	uint64_t seconds;
	uint64_t findings;    /* that are enough */
	uint64_t fixed_after; /* schedules without a finding; at least 1 */
	uint64_t audits;      /* schedules that check what was proved */
	uint64_t reduce;      /* runs */
	enum classify_which classify;
	uint64_t witnesses;          /* runs of each order of a race */
	const char *check;           /* a command */
	const char *before;          /* likewise */
	const char *input;           /* a file */
	const char *inputs;          /* a folder */
	const char *store;           /* a folder */
	enum judge_output output;    /* how outputs are compared */
	struct strings suppressions; /* files */
	struct strings without;      /* lines whose synchronisation is skipped: FILE:LINE */
	bool is_unwoven_allowed, is_sandboxed;
	bool is_replacing;                       /* a verdict replaces a worse one of the same build */
	bool is_stopping;                        /* one finding is enough */
	bool is_threads_wanted;                  /* findings are shown with their threads, which needs replays */
	bool is_quiet;                           /* no messages about long waits */
	volatile sig_atomic_t const *is_stopped; /* set when the user stops the test */
};

struct test;

/* Receives what a test has to report while it runs. */
struct test_listener {
	/* A finding that is described and stored. It may be suppressed. */
	void (*found)(void *context, struct test *test, struct finding *finding);
	/* One of them was reduced, ... */
	void (*reduced)(void *context, struct test *test, struct finding *finding);
	/* ... or could not be. */
	void (*unreduced)(void *context, struct test *test, struct finding *finding);
	/* A data race was classified: presentation.verdict. */
	void (*classified)(void *context, struct test *test, struct finding *finding);
	/* Called often. */
	void (*progress)(void *context, struct test *test);
	/* Messages for the user while the test runs. */
	void (*notice)(void *context, const char *lines);
	void *context;
};

/* What evidence is replayed for. */
enum test_replay { TEST_REPLAY_STACKS, TEST_REPLAY_THREADS, TEST_REPLAY_KINDS };

/* Findings that still need some step, in order; it does not own them. */
struct findings_queue {
	struct finding **items;
	size_t count;
};

/* Large. */
struct test {
	const struct test_request *request;
	const struct test_listener *listener;
	struct trace trace; /* how the program is started */
	struct test_inputs inputs;
	const struct test_input
		*input; /* that schedules have now instead of their own, see test_begin_input; null: their own */
	struct strings own_arguments; /* meanwhile */
	int own_input_fd;             /* likewise */
	struct without without;       /* skipped synchronisation; if there is any, all findings are hypothetical */
	struct campaign campaign;
	struct enough enough;       /* what the search has shown, and what is left */
	struct test_expose *expose; /* orders of the training data that are tried; null: none are */
	struct judge judge;
	struct known known; /* what runs need not report by lines */
	char *program;      /* what is run, for names: see evidence_program */
	struct check check;
	struct before before;
	struct suppressions suppressions;
	size_t suppressed_count; /* findings */

	struct store *store;
	struct store_test stored;          /* the row of this test */
	const struct finding *stored_race; /* of test_run_stored; null: none */
	bool keeps_evidence;   /* races that the store has keep their traces: there is no search, only classification */
	uint64_t stored_group; /* the head of its group; 0: not known */
	uint32_t stored_rules; /* that made the group */
	struct running running;              /* how this test is visible to others */
	char *identity, *weave, *short_path; /* of the build, of the program */
	char *log_path;                      /* where logs of runs may be */
	bool is_woven;
	char *why_unwoven;      /* the error from reading its tables; null: it is woven */
	struct strings unwoven; /* names of files with code that is not woven, except system libraries */
	bool is_woven_checked;
	bool is_endless;     /* no schedule has ended, and none is expected to */
	bool is_untested;    /* no woven code ran under control */
	bool has_started;    /* other processes */
	uint32_t max_hidden; /* threads of OpenMP in one schedule */

	/* What to report at the end. */
	bool is_cut;             /* an error ended it */
	struct strings notes;    /* each once */
	struct lacking lacking;  /* notes, too */
	struct strings opaque;   /* inline assembly that ran and is not understood: notes, too */
	struct strings lost;     /* why runs aborted, each reason once */
	uint64_t lost_count;     /* schedules whose runs aborted */
	uint64_t max_threads;    /* of one schedule */
	uint64_t event_count;    /* of all schedules of the campaign */
	uint64_t longest;        /* events of a schedule that ended by itself; 0: there was none */
	uint64_t longest_unfair; /* the same of those without a fair tail */
	uint64_t long_enough;    /* events of schedules that were long although threads took turns, and some more */
	uint64_t first_fair; /* events of the first other schedule with a fair tail, and some more; 0: there was none */
	uint64_t fair_count; /* schedules that ended in a fair tail */
	double longest_seconds;        /* the same in real time */
	uint64_t unfinished_count;     /* schedules that were cut off before it was known how long they should be */
	uint64_t unfinished_events;    /* the most that one of them had */
	uint64_t unfinished_seconds;   /* without an event, after which one of them was called a hang; 0: none was */
	bool is_unfinished_signal;     /* one of them waited for a signal */
	uint64_t livelock_count;       /* schedules that ended as a livelock, finding or not */
	uint64_t hang_count;           /* schedules that ended as a hang, finding or not */
	uint64_t steer_runs;           /* schedules after those of the campaign, towards deadlocks */
	uint64_t classify_runs;        /* runs besides schedules, to classify races, ... */
	uint64_t classify_events;      /* ... their events, and what they take to start, ... */
	double classify_seconds;       /* ... and what they took */
	double classify_until;         /* with --time, when that ends; 0: not begun */
	uint64_t reduce_runs;          /* runs besides schedules, to reduce failures */
	double reduce_seconds;         /* what they took */
	const struct finding *reduced; /* that is being reduced now; null: none */
	bool has_orders;               /* some schedule had a lock order that could deadlock */
	double began;                  /* when the campaign began */
	struct strings files;          /* files in the working directory before the test */
	struct judged second;          /* of a second run: see confirm.c */
	bool is_single;                /* ended because there is nothing to interleave */
	struct coverage coverage;

	/* Findings whose details are pending: see detail.c. */
	struct findings_queue waiting;             /* for a second pass */
	struct findings_queue unshown;             /* described and stored */
	struct timeline timeline;                  /* of the schedule whose findings are shown now */
	bool is_searching;                         /* the campaign is not over */
	uint64_t replay_events[TEST_REPLAY_KINDS]; /* including the cost of starting replays */
	uint64_t replay_count;
	double replay_seconds;
	double details_until; /* with --time, when the search is over */
	/* Ids of findings that are reported without stacks, without threads, without what they need; and those for
	 * which it is not known whether they are suppressed. */
	struct buf undescribed, unreplayed, unreduced, undecided;
	size_t undescribed_count, unreplayed_count, unreduced_count, undecided_count;
};

void test_init(struct test *self);

/* Checks everything that can be checked before the first run. The request and the listener must live as long as the test. Returns 0, or a
 * negative errno with err set: -EINVAL when the request is wrong. */
int test_prepare(struct test *self, const struct test_request *request, const struct test_listener *listener,
		 struct err *err);

/* Opens what all runs get as their standard input. Returns 0, or a negative errno with err set. */
int test_open_input(struct test *self, struct err *err);

/* Runs the test to its end. Returns 0, or a negative errno with err set: then it was cut off, and holds the findings made until then. */
int test_run(struct test *self, struct err *err);

/* Instead of test_run: classifies that data race of the store. Returns 0, or a negative errno with err set. */
int test_run_stored(struct test *self, int64_t id, struct err *err);

/* The same of all data races that the trace of a run with detection has, which join the store. */
int test_run_trace(struct test *self, const char *path, struct err *err);

void test_release(struct test *self);

/* Findings that are not suppressed. */
size_t test_reported_count(const struct test *self);

/* Whether nothing was cut off, lost or missed, so that the absence of findings means something. */
bool test_is_complete(const struct test *self);

/* Whether the user stopped it. */
bool test_is_stopped(const struct test *self);

/* Whether it can be reduced: then its threads are shown after the reduction. */
bool test_is_reducible(const struct finding *finding);

/* Whether it may need a sleep or time-out that ends early, because no schedule without one showed it. A reduced finding lists what it
 * needs itself. */
bool test_is_only_early(const struct finding *finding);

/* The threads of a finding, from a replay of its evidence; they belong to the test until the next call or test_release_timeline. Returns
 * null, with err set unless there are no replays left. */
const struct timeline *test_find_timeline(struct test *self, const struct finding *finding, struct err *err);
void test_release_timeline(struct test *self);

#endif
