/*
 * campaign.h: runs many schedules of one program, with one fork server for each job. The planner decides which
 * schedules run; the caller examines each schedule when it has ended. Prints nothing.
 *
 * Invariants:
 *  1. The n-th planned schedule is run by server (n - 1) modulo the number of jobs, and schedules are examined in the
 *     order in which they were planned. So a campaign does not depend on the speed of its jobs. Schedules are numbered
 *     in that order, except for the first two with is_second_first.
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
	uint64_t number; /* campaign.before + 1 for the first */
	struct plan plan;
	struct trace_request request; /* of this schedule, including the plan */
	struct trace_result result;
	double seconds;
	struct control *control;       /* still has the report and the log */
	const struct capture *capture; /* null if output is not captured */
	const char *folder;            /* the schedule's own folder; null: none */
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
	/* How to start the program; trace->request has what a plan does not decide. trace->request, the seconds of
	 * setup and setup.fair_after may be changed during the campaign. */
	struct trace *trace;
	struct control_setup setup;
	struct planner *planner;
	uint64_t jobs;              /* at most CAMPAIGN_MAX_JOBS */
	uint64_t runs;              /* 0: no limit */
	uint64_t audits;            /* this many schedules, the first ones, run with HEDDLE_CONTROL_AUDIT */
	uint64_t before;            /* schedule numbers start after this one */
	bool is_second_first;       /* of at least two schedules, the first that runs is number 2, the next number 1 */
	double seconds;             /* of real time; 0: no limit */
	size_t capture_room;        /* bytes kept of each stream; 0: runs inherit our streams */
	int input_fd;               /* read by every run from its start as standard input; -1: runs inherit ours */
	bool is_sandboxed;          /* each run starts in an empty folder of its own */
	struct before *before_each; /* runs before each schedule, in its folder; null: nothing does */
	volatile sig_atomic_t const *is_stopped; /* null: it is never stopped */
	/* The findings that runs need not report by lines; null: they report everything. The set may grow during the
	 * campaign. */
	struct known *known;

	/* Called for each schedule that has ended, in order. Returns 0; 1 to end the campaign; or a negative errno with
	 * err set. learned: the callee fills in its findings; everything else is already filled in. */
	int (*take)(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err);
	/* Called a few times a second while nothing happens; null: not called. */
	void (*wait)(void *context);
	void *context;

	/* The result of a campaign. */
	uint64_t answered;       /* schedules that were run */
	uint64_t distinct;       /* different event hashes */
	double elapsed;          /* seconds */
	struct keeper_left left; /* processes that runs had left running, and that were ended */
	enum campaign_end end;
	uint64_t cut_number; /* the schedule that was still running when the campaign was cut off; 0: none */
	double cut_seconds;  /* how long it had been running then */
	const char *reason;  /* from the planner: why no schedule is left, or its progress; may be null */
};

/* Runs the campaign. Returns 0 with the result filled in, or a negative errno with err set. */
int campaign_serve(struct campaign *self, struct err *err);

#endif
