/*
 * test.h: a test of a program, from its first schedule to the stored findings. It runs many schedules and judges each,
 * replays new findings to get their details, reduces failures to the fewest preemptions, and keeps everything in the
 * store. Nothing here prints: a listener gets the findings and messages, and notes are collected for the end.
 *
 * The functions of a test are called in this order: test_init, test_prepare, test_open_input, test_run, test_release.
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
	TEST_CLASSIFY_ONLY_NEW, /* those that no test of this build has judged, within a share of the test's time */
	TEST_CLASSIFY_YES,      /* all of them, without a limit */
	TEST_CLASSIFY_NO,
};

/* The options of a test. Unless stated otherwise, texts that were not given are null, and numbers that were not given
 * are RUN_NUMBER_NONE. */
struct test_request {
	struct run_request run; /* strategy: a planner's name, depth: the planner's */
	uint64_t runs;          /* schedules; 0: no limit */
	uint64_t jobs;          /* at least 1 */
	uint64_t seconds;
	uint64_t findings;    /* the test ends after this many */
	uint64_t fixed_after; /* schedules without a finding until it is fixed; at least 1 */
	uint64_t audits;      /* schedules that check proved sites */
	uint64_t reduce;      /* maximum number of runs to reduce a failure */
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
	bool is_stopping;                        /* the test ends after one finding */
	bool is_threads_wanted;                  /* findings are shown with their threads, which needs replays */
	bool is_quiet;                           /* no messages about long waits */
	volatile sig_atomic_t const *is_stopped; /* set when the user stops the test */
};

struct test;

/* The functions that a test calls while it runs. Findings belong to the test. */
struct test_listener {
	/* Called for each finding when it is described and stored. It may be suppressed. */
	void (*found)(void *context, struct test *test, struct finding *finding);
	/* Called when the failure was reduced, ... */
	void (*reduced)(void *context, struct test *test, struct finding *finding);
	/* ... or when it could not be reduced. */
	void (*unreduced)(void *context, struct test *test, struct finding *finding);
	/* Called when a data race was classified: see presentation.verdict. */
	void (*classified)(void *context, struct test *test, struct finding *finding);
	/* Called often, to show the progress. */
	void (*progress)(void *context, struct test *test);
	/* Gets messages for the user. */
	void (*notice)(void *context, const char *lines);
	void *context;
};

/* The purposes for which evidence is replayed. */
enum test_replay { TEST_REPLAY_STACKS, TEST_REPLAY_THREADS, TEST_REPLAY_KINDS };

/* Findings that still need a certain step, in order. Does not own them. */
struct findings_queue {
	struct finding **items;
	size_t count;
};

/* Too large for a stack. */
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
	struct enough enough;       /* estimates how much the search has not shown yet */
	struct test_expose *expose; /* orders of the training data that are tried; null: none */
	struct judge judge;
	struct known known; /* findings that runs need not report by lines */
	char *program;      /* identifies the program in names of evidence: see evidence_program */
	struct check check;
	struct before before;
	struct suppressions suppressions;
	size_t suppressed_count; /* findings */

	struct store *store;
	struct store_test stored;          /* the row of this test */
	const struct finding *stored_race; /* of test_run_stored; null: none */
	bool keeps_evidence;    /* races in the store keep their traces: there is no search, only classification */
	uint64_t stored_group;  /* the head of the group of stored_race; 0: not known */
	uint32_t stored_rules;  /* the rules that made the group */
	struct running running; /* how this test is visible to others */
	char *identity, *weave, *short_path; /* of the build, of the program */
	char *log_path;                      /* for logs of runs */
	bool is_woven;
	char *why_unwoven;      /* the error from reading its tables; null: it is woven */
	struct strings unwoven; /* names of files with code that is not woven, except system libraries */
	bool is_woven_checked;
	bool is_endless;     /* no schedule has ended, and none is expected to */
	bool is_untested;    /* no woven code ran under control */
	bool has_started;    /* the program started other processes */
	uint32_t max_hidden; /* most threads of OpenMP in one schedule */

	/* What to report at the end. */
	bool is_cut;             /* an error ended it */
	struct strings notes;    /* each once */
	struct lacking lacking;  /* further notes */
	struct strings opaque;   /* further notes: inline assembly that ran and is not understood */
	struct strings lost;     /* why runs aborted, each reason once */
	uint64_t lost_count;     /* schedules whose runs aborted */
	uint64_t max_threads;    /* of one schedule */
	uint64_t event_count;    /* of all schedules of the campaign */
	uint64_t longest;        /* events of the longest schedule that ended by itself; 0: there was none */
	uint64_t longest_unfair; /* the same for those without a fair tail */
	uint64_t long_enough;    /* events of schedules that were long although threads took turns, with a margin */
	uint64_t first_fair; /* events of the first other schedule with a fair tail, with a margin; 0: there was none */
	uint64_t fair_count; /* schedules that ended in a fair tail */
	double longest_seconds;        /* of a schedule that ended by itself, in real time */
	uint64_t unfinished_count;     /* schedules that were cut off before their usual length was known */
	uint64_t unfinished_events;    /* the events of the longest of them */
	uint64_t unfinished_seconds;   /* without an event, after which one of them was called a hang; 0: none was */
	bool is_unfinished_signal;     /* one of them waited for a signal */
	uint64_t livelock_count;       /* schedules that ended as a livelock, finding or not */
	uint64_t hang_count;           /* schedules that ended as a hang, finding or not */
	uint64_t steer_runs;           /* schedules after the campaign that were steered towards deadlocks */
	uint64_t classify_runs;        /* additional runs, to classify races, ... */
	uint64_t classify_events;      /* ... their events, including the cost of starting them, ... */
	double classify_seconds;       /* ... and their time */
	double classify_until;         /* with --time, when classification ends; 0: not begun */
	uint64_t reduce_runs;          /* additional runs, to reduce failures */
	double reduce_seconds;         /* their time */
	const struct finding *reduced; /* the one that is being reduced now; null: none */
	bool has_orders;               /* some schedule had a lock order that could deadlock */
	double began;                  /* when the campaign began */
	struct strings files;          /* files in the working directory before the test */
	struct judged second;          /* of a second run: see confirm.c */
	bool is_single;                /* the test ended because there is nothing to interleave */
	struct coverage coverage;

	/* Findings whose details are pending: see detail.c. */
	struct findings_queue waiting;             /* for a second pass */
	struct findings_queue unshown;             /* described and stored */
	struct timeline timeline;                  /* of the schedule whose findings are shown now */
	bool is_searching;                         /* the campaign is not over */
	uint64_t replay_events[TEST_REPLAY_KINDS]; /* including the cost of starting replays */
	uint64_t replay_count;
	double replay_seconds;
	double details_until; /* with --time: the deadline for details after the search */
	/* Ids of findings that are reported without stacks, without threads, and without what their schedules need; and
	 * of those for which it is not known whether they are suppressed. */
	struct buf undescribed, unreplayed, unreduced, undecided;
	size_t undescribed_count, unreplayed_count, unreduced_count, undecided_count;
};

void test_init(struct test *self);

/* Checks everything that can be checked before the first run, and prepares the test. The request and the listener must
 * live as long as the test. Returns 0, or a negative errno with err set: -EINVAL when the request is wrong. */
int test_prepare(struct test *self, const struct test_request *request, const struct test_listener *listener,
		 struct err *err);

/* Opens the standard input of all runs. Returns 0, or a negative errno with err set. */
int test_open_input(struct test *self, struct err *err);

/* Runs the test to its end. Returns 0, or a negative errno with err set: then the test was cut off, and has the
 * findings made until then. */
int test_run(struct test *self, struct err *err);

/* Call it instead of test_run: classifies the data race with this id in the store. Returns 0, or a negative errno with
 * err set. */
int test_run_stored(struct test *self, int64_t id, struct err *err);

/* Call it instead of test_run: classifies all data races in the trace of a run with detection, and stores them. Returns
 * 0, or a negative errno with err set. */
int test_run_trace(struct test *self, const char *path, struct err *err);

void test_release(struct test *self);

/* Returns the number of findings that are not suppressed. */
size_t test_reported_count(const struct test *self);

/* Whether nothing was cut off, lost or missed, so that the absence of findings means something. */
bool test_is_complete(const struct test *self);

/* Whether the user stopped it. */
bool test_is_stopped(const struct test *self);

/* Whether the finding can be reduced: then its threads are shown after the reduction. */
bool test_is_reducible(const struct finding *finding);

/* Whether the finding may need a sleep or time-out that ends early, because no schedule without one showed it. A
 * reduced finding lists its needs itself. */
bool test_is_only_early(const struct finding *finding);

/* Returns the threads of a finding, from a replay of its evidence. The result belongs to the test, until the next call
 * or test_release_timeline. Returns null if that failed, with err set, or if no replays are left. */
const struct timeline *test_find_timeline(struct test *self, const struct finding *finding, struct err *err);
void test_release_timeline(struct test *self);

#endif
