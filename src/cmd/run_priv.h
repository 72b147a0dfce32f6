/* run_priv.h: what the parts of heddle run share. */
#ifndef CMD_RUN_PRIV_H
#define CMD_RUN_PRIV_H

#include "campaign/run_request.h"

/* The options, as given. Texts are null and numbers RUN_NUMBER_NONE when they were not. */
struct run_options {
	struct run_request request;
	bool is_count, is_operations, is_free, is_stats, is_brief;
	const char *json, *trace;
	struct strings suppressions; /* files */
	uint64_t top, runs, jobs, repeat;
};

/* A mode of the runtime that does not control the program. */
struct run_mode {
	const char *name;     /* as the runtime knows it */
	const char *switched; /* the default of --switch; null: the mode selects functions by itself */
	/* Before the program runs: makes the file that the runtime counts into. Appends options for the runtime, each after a colon. */
	int (*make)(void *context, struct buf *options, struct err *err);
	/* After the program has ended: reads that file and appends the report; json is null if it is not wanted. */
	int (*describe)(void *context, struct buf *text, struct buf *json, struct err *err);
	void (*release)(void *context);
};

/* The default number of rows that are printed. */
enum { RUN_TOP = 20 };

/* Runs the program in that mode. Returns as the functions below do. */
int run_uncontrolled(const struct run_options *settings, const struct run_mode *mode, void *context);

/* All return our exit status, if they return: they may end as the program ended. */
int run_free(const struct run_options *settings);
int run_operations(const struct run_options *settings);
int run_control(const struct run_options *settings);
int run_campaign(const struct run_options *settings);

/* Prints the warnings of run_idle_patterns on standard error. */
void run_warn_idle(const struct run_request *request, const struct trace *trace);

#endif
