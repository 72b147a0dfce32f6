/*
 * once.h: what is done once for all threads, and where it is known to be done.
 * Input: struct flow_program. Result: struct flow_controls. The operations on locks read it through struct flow_lock_sets.
 */
#ifndef ANALYSIS_FLOW_ONCE_H
#define ANALYSIS_FLOW_ONCE_H

#include "analysis/flow/program.h"

struct flow_lock_sets;
struct flow_paths;

/* A variable that says whether something is done: a pthread_once_t, or the guard of a static variable in a function. */
struct flow_control {
	uint64_t offset;
	uint32_t next; /* 1 + the number of another one in the same object, or 0 */
	bool is_guard;
	bool is_void; /* something else may write it */
};

struct flow_controls {
	struct flow_control *rows;
	uint32_t count, room;
	uint32_t *of_object; /* of each object: 1 + the number of one in it; 0: none */
};

void flow_controls_find(const struct flow_program *program, struct flow_controls *controls);
void flow_controls_release(struct flow_controls *controls);
/* With what the control, a value, is for known to be done, if it stays so. */
uint32_t flow_locks_done(struct flow_lock_sets *lock_sets, uint32_t set, uint32_t control, uint32_t call);
uint32_t flow_locks_without_done(struct flow_lock_sets *lock_sets, uint32_t set);
/* The address of the guard that the end of the block found to be set, if that successor is next; or WHOLE_NONE. */
uint32_t flow_known_done(const struct flow_controls *controls, struct flow_paths *paths,
			 const struct whole_block *block, uint32_t successor);

#endif
