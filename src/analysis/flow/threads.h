/*
 * threads.h: where threads are started, and so which roots there are.
 * Input: struct flow_program. Result: struct flow_threads.
 */
#ifndef ANALYSIS_FLOW_THREADS_H
#define ANALYSIS_FLOW_THREADS_H

#include "analysis/flow/flow.h"
#include "analysis/flow/sets.h"

struct flow_program;

/* One call that starts threads: a model's, or the call of a function that does nothing else with what it is given. */
struct flow_create {
	uint32_t call;   /* the instruction */
	uint32_t inner;  /* the instruction that calls the model: where the handle is written */
	uint8_t kind;    /* enum flow_root_kind */
	uint32_t handle; /* value: address of the handle, handle_offset bytes before it; or WHOLE_NONE */
	int64_t handle_offset;
	uint32_t argument; /* value: what the routine gets, or where that is (is_argument_deep); or WHOLE_NONE */
	bool is_argument_deep;
	uint32_t parameter; /* number of the routine's parameter that gets it */
	struct flow_ids roots;
};

struct flow_threads {
	struct flow_root *roots;
	uint32_t root_count, root_room;
	uint32_t words; /* of a set of roots */
	struct flow_create *creates;
	uint32_t create_count, create_room;
	struct flow_range *creates_of;   /* of each call: those that happen there */
	struct flow_ids first_functions; /* of the first thread: constructors, main */
	struct flow_ids last_functions;  /* run at exit */
	struct flow_ids thread_end_functions;
	struct flow_ids exported_functions;
	bool *is_reached;      /* of each function: from any root */
	uint64_t *started;     /* of each root: a set of roots that it may start itself */
	uint64_t *descendants; /* of each root: itself, what it starts, what they start, ... */
	bool has_threads;
	uint32_t bound_functions; /* as in struct flow_statistics */
};

void flow_threads_find(const struct flow_program *program, struct flow_threads *threads);
void flow_threads_release(struct flow_threads *threads);

/* Of a root: the set in a row of sets. */
static inline uint64_t *flow_row(const struct flow_threads *threads, uint64_t *rows, uint32_t root)
{
	return rows + (size_t)root * threads->words;
}

/* Functions that run at a call (or, WHOLE_NONE, at the return of the function) because the thread or the program ends. */
uint32_t flow_end_functions(const struct flow_program *program, const struct flow_threads *threads, uint32_t root,
			    uint32_t function, uint32_t call, const struct flow_ids *lists[2]);

/* The functions that a call which is given a std::thread's state, in that argument, starts; false: it cannot be seen from the
 * function that the call is in. */
bool flow_state_routines(const struct flow_program *program, uint32_t call, int argument, struct flow_ids *routines);

#endif
