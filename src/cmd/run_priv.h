/* run_priv.h: what the parts of heddle run share. */
#ifndef CMD_RUN_PRIV_H
#define CMD_RUN_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "trace/trace.h"

#define RUN_NUMBER_NONE UINT64_MAX

/* The options, as given. Texts are null and numbers RUN_NUMBER_NONE when they were not. */
struct run_asked {
	bool is_count, is_verbose, is_free, is_stats, is_detecting, is_audit, is_brief;
	const char *switched, *json, *strategy, *trace, *date, *timing;
	struct strings suppressions; /* files */
	uint64_t top, seed, depth, length, budget, hang, runs, jobs, repeat;
};

extern struct run_asked run_asked;

/* What --strategy of heddle run, --date and --timing may be. End with null. */
extern const char *const run_strategies[], *const run_dates[], *const run_timings[];

/* Whether sleeps and time-outs may end early. */
bool run_is_early(void);

/* All return our exit status, if they return: they may end as the program ended. */
int run_free(char **program);
int run_control(char **program);
int run_campaign(char **program);

/* Appends, for each pattern of --switch that no function of the program matches, what to say about it: escaped, a line
 * without its end. */
void run_idle_patterns(const struct trace *trace, struct strings *lines);

/* The same as warnings on standard error. */
void run_warn_idle(const struct trace *trace);

/* Fills in how to start the program and what to ask for, from run_asked. trace is initialised. Returns 0, or a negative
 * errno with err set: -EINVAL when an option is wrong. */
int run_describe(struct trace *trace, char **program, struct err *err);

#endif
