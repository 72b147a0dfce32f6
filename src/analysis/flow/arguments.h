/*
 * arguments.h: which functions a thread calls through what it was given.
 * Input: struct flow_program, struct flow_threads. Result: struct flow_arguments.
 */
#ifndef ANALYSIS_FLOW_ARGUMENTS_H
#define ANALYSIS_FLOW_ARGUMENTS_H

#include "analysis/flow/sets.h"

struct flow;
struct flow_program;
struct flow_threads;

/* What a call in the routine of a root may call: less than what points-to knows. */
struct flow_narrowed {
	uint32_t root, call;
	struct flow_ids functions;
};

struct flow_arguments {
	struct flow_narrowed *rows;
	uint32_t count, room;
	bool *is_narrowed; /* of each call: it has rows */
};

/* Of a flow that is solved. */
const struct flow_arguments *flow_arguments(const struct flow *flow);

void flow_arguments_find(const struct flow_program *program, const struct flow_threads *threads,
			 struct flow_arguments *arguments);
void flow_arguments_release(struct flow_arguments *arguments);
/* Whether a call, an index of calls, calls the target in a thread of the root. */
bool flow_may_call(const struct flow_arguments *arguments, uint32_t root, uint32_t call, uint32_t function);

#endif
