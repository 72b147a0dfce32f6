/*
 * crowd.h: calls by pointer that may call very many functions.
 * Input: struct flow_crowds_input. Result: struct flow_crowds.
 */
#ifndef ANALYSIS_FLOW_CROWD_H
#define ANALYSIS_FLOW_CROWD_H

#include "analysis/flow/sets.h"

struct flow_alive;
struct flow_arguments;
struct flow_program;
struct flow_releases;
struct flow_threads;

struct flow_crowds_input {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_arguments *arguments;
	const struct flow_alive *alive;
	const struct flow_releases *releases;
};

struct flow_crowds {
	uint32_t *of_call;          /* of each call: its crowd, or WHOLE_NONE */
	struct flow_interned lists; /* of targets */
	struct flow_ids traits;     /* of each: enum trait */
};

void flow_crowds_find(const struct flow_crowds_input *in, struct flow_crowds *crowds);
void flow_crowds_release(struct flow_crowds *crowds);
bool flow_crowd_starts(const struct flow_crowds *crowds, uint32_t crowd); /* one of them may start threads */
bool flow_crowd_locks(const struct flow_crowds *crowds, uint32_t crowd);  /* one of them takes or releases locks */

#endif
