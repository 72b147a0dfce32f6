/*
 * train.h: a training: runs a program with its threads in parallel, and learns the histories of correct runs. Prints
 * nothing.
 *
 * Invariants:
 *  1. Only correct runs are learned from: the program exited with the wanted status, no signal ended it, the user's
 *     check passed, and, under control, nothing harmful was found.
 *     Assured by tests/cli/train.t and tests/cli/train-control.t.
 *  2. An order of a guarded run joins the sets only if it occurred: an order that a stall prevented is not known to be
 *     correct.
 *     Assured by tests/cli/train-relax.t.
 *  3. When training_serve returns, no process of ours is left.
 *     Assured by tests/cli/train.t.
 */
#ifndef CAMPAIGN_TRAIN_H
#define CAMPAIGN_TRAIN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "launch/keeper.h"
#include "learned/data.h"

/* A training is complete when at least this many correct runs in a row, and at least one in this many of all correct
 * runs, added no member. */
#define TRAINING_QUIET_RUNS 10u
#define TRAINING_QUIET_SHARE 5u

/* For the time limit of a run: see run_seconds. There is no such limit until a run has ended by itself, unless one was requested. */
#define TRAINING_RUN_FACTOR 20.0
#define TRAINING_RUN_SECONDS 60.0

/* With is_relaxing, one of this many runs is guarded. */
#define TRAINING_GUARDED_SHARE 3u

/* Batches of native runs and of controlled schedules take turns. No further schedules are run after TRAINING_VAIN
 * incorrect ones in a row. */
#define TRAINING_BATCH 5u
#define TRAINING_VAIN 10u

/* This many runs without a correct one end a training. */
#define TRAINING_HOPELESS_RUNS 20u

struct training_request {
	char **program;
	const char *check;      /* null: none */
	const char *input;      /* file; null: runs read nothing */
	const char *switched;   /* --switch; null: all */
	const char *strategy;   /* name of the planner of controlled schedules; null: all in turn */
	bool is_native;         /* there are no controlled schedules */
	bool is_relaxing;       /* some runs are guarded, and their histories join the sets */
	uint64_t runs, seconds; /* 0: no limit */
	/* The limit of one run; 0: TRAINING_RUN_FACTOR times the longest correct one, or the longest that ended by itself
	 * until there is a correct one, and at least TRAINING_RUN_SECONDS. */
	uint64_t run_seconds;
	uint64_t status; /* exit status of a correct run; 128 + N also allows signal N, if we sent it */
};

enum training_judgement {
	TRAINING_CORRECT,
	TRAINING_STATUS, /* another exit status */
	TRAINING_SIGNAL, /* a signal ended it */
	TRAINING_CHECK,  /* the check rejected it */
	TRAINING_HARM,   /* under control: a deadlock, a memory error or another harmful finding */
	TRAINING_LONG,   /* it took too long, and was ended */
	TRAINING_LOST,   /* it could not be controlled to its end */
	TRAINING_CUT,    /* ended with the training, and not correct */
	TRAINING_JUDGEMENTS,
};

enum training_kind {
	TRAINING_PLAIN,      /* without delays */
	TRAINING_DELAYED,    /* with short delays at random places */
	TRAINING_GUARDED,    /* guarded by what was learned so far */
	TRAINING_CONTROLLED, /* one thread at a time, as a strategy decides */
	TRAINING_KINDS,
};

/* One run that has ended. */
struct training_run {
	uint64_t number; /* from 1 */
	enum training_kind kind;
	enum training_judgement judgement;
	int status;    /* as from waitpid */
	uint64_t gain; /* of a correct run: by how many members the sets grew */
	double seconds;
};

enum training_end {
	TRAINING_CONVERGED,
	TRAINING_RUNS,     /* all requested runs were made */
	TRAINING_TIME,     /* the time limit was reached */
	TRAINING_STOPPED,  /* by is_stopped */
	TRAINING_HOPELESS, /* none of TRAINING_HOPELESS_RUNS was correct */
};

struct training {
	const struct training_request *request;
	struct learned *learned;
	volatile sig_atomic_t const *is_stopped;
	/* Called after each run. */
	void (*took)(void *context, const struct training_run *run);
	void *context;

	/* The result. */
	enum training_end end;
	uint64_t run_count, correct_count;
	uint64_t counts[TRAINING_JUDGEMENTS];
	uint64_t kind_counts[TRAINING_KINDS], kind_gains[TRAINING_KINDS]; /* of correct runs */
	uint64_t violations, joined; /* pairs in correct guarded runs; those of them that joined the sets */
	double longest;              /* seconds of the longest correct run */
	double longest_ended;        /* seconds of the longest run that ended by itself, correct or not */
	uint64_t quiet_count;        /* number of the last correct runs in a row that added nothing */
	uint64_t lost_histories, lost_objects, displaced, damaged_count;
	uint32_t switched_count;   /* functions, in the last run */
	char *first_failure;       /* in words; null: none failed */
	char *no_control;          /* why there were no controlled schedules, or no further ones; null: there were */
	struct buf failure_output; /* the end of that run's standard error, or of the output of the check */
	struct keeper_left left;   /* processes that runs had left running, and that were ended */
};

/* Runs the training. Returns 0, or a negative errno with err set: -ENOENT when the program contains no woven code. In
 * both cases learned has the histories of the correct runs, and the caller calls training_release. */
int training_serve(struct training *self, struct err *err);
void training_release(struct training *self);

#endif
