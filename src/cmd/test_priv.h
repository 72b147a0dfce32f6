/* test_priv.h: what the parts of heddle test share. */
#ifndef CMD_TEST_PRIV_H
#define CMD_TEST_PRIV_H

#include <stdio.h>

#include "cmd/check.h"
#include "cmd/judge.h"
#include "cmd/suppress.h"

/* The options that heddle run does not have; the others are in run_asked. */
struct test_asked {
	const char *check, *json, *input, *output;
	uint64_t seconds, findings;  /* RUN_NUMBER_NONE: not given */
	struct strings suppressions; /* files */
	bool is_sandboxed, is_quiet, is_stopping, is_going_on;
};

extern struct test_asked test_asked;

/* One test, from its options to its exit status. */
struct test {
	struct trace trace; /* how the program is started */
	struct campaign campaign;
	struct judge judge;
	char *program; /* what is run, for names: see evidence_program */
	struct check check;
	FILE *json; /* null: none */
	struct suppressions suppressions;
	size_t suppressed_count; /* findings */

	/* What is to be said at the end. */
	struct strings notes;          /* each once */
	struct strings lost;           /* why schedules could not be had, each once */
	uint64_t lost_count;           /* schedules that could not be had */
	uint64_t threads_most;         /* of one schedule */
	uint64_t longest;              /* events of a schedule that ended by itself; 0: there was none */
	double longest_seconds;        /* the same in real time */
	uint64_t unfinished_count;     /* schedules that were cut off when nobody knew yet how long they should be */
	uint64_t hang_count;           /* schedules that ended as a hang, finding or not */
	uint64_t steer_runs;           /* schedules behind those of the campaign, towards deadlocks */
	uint64_t reduce_runs;          /* runs besides schedules, to reduce failures */
	const struct finding *reduced; /* that is being reduced now; null: none */
	double began;                  /* when the campaign began */
	struct strings files;          /* what was in the working directory before */
	bool is_single;                /* ended because there is nothing to interleave */
	bool is_line_open;             /* progress is on the last line of the terminal */
	double said_at;                /* when progress was shown last */
};

/* Set when the user wants it to end. */
extern volatile sig_atomic_t test_is_stopped;

/* Opens what all runs get as their standard input. Returns the descriptor, or a negative errno with err set. */
int test_input(struct test *self, struct err *err);

/* Adds a note, unless it is there. */
void test_note(struct strings *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs the campaign. Returns 0, or a negative errno with err set. */
int test_serve(struct test *self, struct err *err);

/* Reduces the schedules of failures. That one cannot be reduced is a note. */
void test_reduce(struct test *self);

/* Looks again at what detection found, and describes it. A second pass that does not come to it leaves out what it would
 * have told. Returns whether it is something that was not known before. */
bool test_look_again(struct test *self, struct finding *finding);

/* Findings that are not suppressed. */
size_t test_told_count(const struct test *self);

/* Whether there are as many of them as the user wants. */
bool test_has_enough(const struct test *self);

/* The campaign is over: steers schedules towards what lock orders could lead to, as far as that was not done yet. Returns 0,
 * or a negative errno with err set. */
int test_steer(struct test *self, struct err *err);

/* Tells the lock orders of which no schedule showed the deadlock. */
void test_tell_orders(struct test *self);

/* Whether there is something to reduce in it. */
bool test_is_reducible(const struct finding *finding);

double test_now(void);

/* Printing. Progress goes to standard error if that is a terminal, unused suppressions go there, too; everything else to
 * standard output. A finding is told once, unless it is suppressed. */
void test_say_finding(struct test *self, struct finding *finding);
void test_say_reduced(struct test *self, const struct finding *finding);
void test_say_progress(struct test *self);
void test_clear_progress(struct test *self);
void test_say_summary(struct test *self);

/* Returns 0, or a negative errno with err set. */
int test_write_json(struct test *self, struct err *err);

#endif
