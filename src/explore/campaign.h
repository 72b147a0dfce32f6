/*
 * campaign.h: many schedules of one program, by fork servers, one server a job. The planner decides what to run; the
 * caller examines each schedule when it has ended. Prints nothing.
 *
 * Invariants:
 *  1. The n-th schedule that is planned is run by server (n - 1) modulo the number of jobs, and schedules are examined in
 *     the order in which they were planned. So a campaign does not depend on which job is faster. Numbers are in that order, except
 *     for the first two with is_second_first.
 *  2. When campaign_serve returns, no process of ours is left.
 *     Assured by tests/cli/left.t.
 */
#ifndef EXPLORE_CAMPAIGN_H
#define EXPLORE_CAMPAIGN_H

#include <signal.h>
#include <stdbool.h>

#include "explore/before.h"
#include "explore/capture.h"
#include "explore/known.h"
#include "explore/planner.h"
#include "launch/control.h"

#define CAMPAIGN_MAX_JOBS 256u

/* One schedule that has ended. */
struct campaign_run {
	uint64_t number; /* from 1, or from where the campaign begins */
	struct plan plan;
	struct trace_request request; /* of this schedule, including the plan */
	struct trace_result result;
	double seconds;
	struct control *control;       /* report and log are still in it */
	const struct capture *capture; /* null unless captured */
	const char *folder;            /* of its own; null: none */
	bool is_input_read;            /* it read from its standard input; false if that is empty */
};

enum campaign_end {
	CAMPAIGN_DONE,    /* all requested runs were made */
	CAMPAIGN_PLANNED, /* the planner has nothing left */
	CAMPAIGN_TIME,    /* the time limit was reached */
	CAMPAIGN_STOPPED, /* by is_stopped or by the caller */
};

struct campaign {
	/* What to do. */
	/* How to start the program; trace->request has what a plan does not decide. trace->request, the seconds of setup
	 * and setup.fair_after may be changed during the campaign. */
	struct trace *trace;
	struct control_setup setup;
	struct planner *planner;
	uint64_t jobs;        /* at most CAMPAIGN_MAX_JOBS */
	uint64_t runs;        /* 0: no limit */
	uint64_t audits;      /* the first this many schedules run with HEDDLE_CONTROL_AUDIT */
	uint64_t before;      /* schedule numbers start after this one */
	bool is_second_first; /* of at least two schedules, the one that is run first is number 2, the next number 1 */
	double seconds;       /* of real time; 0: no limit */
	size_t capture_room;  /* bytes kept of each stream; 0: runs inherit our streams */
	int input_fd;         /* read by every run from its start as standard input; -1: runs inherit ours */
	bool is_sandboxed;    /* each run starts in an empty folder of its own */
	struct before *before_each;              /* runs before each schedule, in its folder; null: nothing does */
	volatile sig_atomic_t const *is_stopped; /* null: it is never stopped */
	/* What runs need not report by lines; null: they report everything. It may grow during the campaign. */
	struct known *known;

	/* Called for each schedule, in order. Returns 0; 1 to end the campaign; a negative errno with err set. learned: the
	 * callee fills in what it found; the rest is already filled in. */
	int (*take)(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err);
	/* Called a few times a second while nothing happens; null: not called. */
	void (*wait)(void *context);
	void *context;

	/* The result of a campaign. */
	uint64_t answered;
	uint64_t distinct; /* event hashes */
	double elapsed;
	struct keeper_left left; /* processes ended because runs had left them running */
	enum campaign_end end;
	uint64_t cut_number; /* the schedule that was waited for when the campaign was cut off; 0: none */
	double cut_seconds;  /* how long it had been running then */
	const char *reason;  /* the planner's: why it has nothing left, or how far it is; may be null */
};

/* Runs it. Returns 0, or a negative errno with err set. */
int campaign_serve(struct campaign *self, struct err *err);

#endif
