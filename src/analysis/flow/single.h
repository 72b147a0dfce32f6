/*
 * single.h: what runs at most once, and so which objects exist once.
 * Input: struct flow_program, struct flow_threads. Result: struct flow_single.
 */
#ifndef ANALYSIS_FLOW_SINGLE_H
#define ANALYSIS_FLOW_SINGLE_H

#include <stdbool.h>
#include <stdint.h>

struct flow;
struct flow_program;
struct flow_threads;

struct flow_single {
	uint8_t *runs; /* of each function: enum runs */
};

/* Of a flow that is solved. */
const struct flow_single *flow_single(const struct flow *flow);

void flow_single_find(const struct flow_program *program, const struct flow_threads *threads,
		      struct flow_single *single);
void flow_single_release(struct flow_single *single);
bool flow_runs_once(const struct flow_program *program, const struct flow_single *single, uint32_t instruction);
/* Whether the object exists at most once in the running program. */
bool flow_is_single(const struct flow_program *program, const struct flow_single *single, uint32_t object);
/* Whether a value, if it is no null pointer, is the address of one place in one object that exists once: no array's element. */
bool flow_exact(const struct flow_program *program, const struct flow_single *single, uint32_t value, uint32_t *object,
		uint64_t *offset);

#endif
