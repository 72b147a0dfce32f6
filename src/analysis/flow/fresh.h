/*
 * fresh.h: memory that no other thread can know yet.
 * Input: struct flow_program, struct flow_threads. Result: struct flow_fresh.
 */
#ifndef ANALYSIS_FLOW_FRESH_H
#define ANALYSIS_FLOW_FRESH_H

#include <stdbool.h>

struct flow_program;
struct flow_threads;

struct flow_fresh {
	bool *is_fresh; /* of each access */
};

/* Which accesses touch what no other thread can know yet. */
void flow_fresh_find(const struct flow_program *program, const struct flow_threads *threads, struct flow_fresh *fresh);
void flow_fresh_release(struct flow_fresh *fresh);

#endif
