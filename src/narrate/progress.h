/*
 * progress.h: the progress of a test: schedules, their rate, whether they still show something new, findings. On a terminal
 * it is one line that is rewritten; elsewhere a line is printed now and then, so that logs show that the test is alive.
 */
#ifndef NARRATE_PROGRESS_H
#define NARRATE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/abi.h"

#define COVERAGE_LAST 100u

/* What schedules have shown: switches from one place to another, and which write a read saw (heddle_channel.seen). Start with
 * { 0 }. */
struct coverage {
	uint64_t seen[HEDDLE_SEEN_BITS / 64];
	uint64_t count;             /* different ones */
	bool is_new[COVERAGE_LAST]; /* of the last schedules: whether they had one that none before had */
	uint64_t schedules;
};

void coverage_learn(struct coverage *self, const uint64_t *seen);

/* How many of the last schedules showed something new, and of how many. */
unsigned coverage_news(const struct coverage *self, unsigned *of);

struct progress {
	uint64_t schedules, of; /* of: the total; 0: no limit */
	double seconds;
	size_t findings;
	const char *other; /* what is done instead of schedules: "reducing H1: 12 runs"; null: nothing */
};

/* Start with { 0 }. */
struct progress_line {
	double printed_at;
	bool is_open; /* it is on the last line of the terminal */
};

/* Writes to standard error, if it is due. now: in seconds. */
void progress_print(struct progress_line *self, const struct progress *progress, const struct coverage *coverage,
		    double now);

/* Clears the line, so that something else can be printed. */
void progress_clear(struct progress_line *self);

#endif
