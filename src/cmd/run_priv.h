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

/* All return our exit status, if they return: they may end as the program ended. */
int run_free(const struct run_options *asked);
int run_operations(const struct run_options *asked);
int run_control(const struct run_options *asked);
int run_campaign(const struct run_options *asked);

/* What run_idle_patterns has to say, as warnings on standard error. */
void run_warn_idle(const struct run_request *request, const struct trace *trace);

#endif
