/*
 * run_request.h: the options for running a program under control that heddle run and heddle test have in
 * common. A command fills in the request from its options; after that it does not change.
 */
#ifndef CAMPAIGN_RUN_REQUEST_H
#define CAMPAIGN_RUN_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "trace/trace.h"

#define RUN_NUMBER_NONE UINT64_MAX

/* Texts that were not given are null, and numbers that were not given are RUN_NUMBER_NONE. */
struct run_request {
	char **program; /* and its arguments; ends with null */
	/* If not null, the program is started as in this recorded run, with the same arguments, environment, date and
	 * limits, so that the addresses of its stack are the same. Then program, switched and date are not used. */
	const struct trace *recorded;
	const char *switched, *strategy, *date, *timing;
	uint64_t seed, depth, length, budget;
	uint64_t hang; /* seconds */
	bool is_verbose, is_detecting, is_audit;
};

/* A request in which nothing was given. */
#define RUN_REQUEST_INIT                                                                                               \
	{                                                                                                              \
		.seed = RUN_NUMBER_NONE, .depth = RUN_NUMBER_NONE, .length = RUN_NUMBER_NONE,                          \
		.budget = RUN_NUMBER_NONE, .hang = RUN_NUMBER_NONE                                                     \
	}

/* The values of --date and --timing, each list with a null at its end. */
extern const char *const run_dates[], *const run_timings[];

/* Returns the number, or `otherwise` if it was not given. */
uint64_t run_number_or(uint64_t number, uint64_t otherwise);

/* Whether sleeps and time-outs may end early. */
bool run_is_early(const struct run_request *request);

/* Fills in trace, which must be initialised: how to start the program, and trace->request. Returns 0, or a negative
 * errno with err set: -EINVAL when an option is wrong. */
int run_describe(struct trace *trace, const struct run_request *request, struct err *err);

/* Appends a warning for each pattern of --switch that matches no function of the program: one line without its
 * newline, escaped. */
void run_idle_patterns(const struct run_request *request, const struct trace *trace, struct strings *lines);

#endif
