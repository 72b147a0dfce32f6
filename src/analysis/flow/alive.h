/*
 * alive.h: which roots may be alive at each instruction: of those that the current thread started (alive.c), and of the
 * others (concurrent.c).
 * Input: struct flow_alive_input. Result: struct flow_alive.
 *
 * The two iterate together and share struct flow_alive as their state: alive.c finds what each function does to the set of
 * living roots, given the joins that hold; concurrent.c then finds which roots may be alive concurrently, and which
 * joins do not hold after all (is_void). If it found more of those, both begin again. A void join stays void, so this
 * ends. Later phases read the state of the last round.
 */
#ifndef ANALYSIS_FLOW_ALIVE_H
#define ANALYSIS_FLOW_ALIVE_H

#include "analysis/flow/sets.h"

struct flow_arguments;
struct flow_joins;
struct flow_program;
struct flow_threads;

/* What a piece of code does to the set of roots that may be alive: (set - kill) + gen. */
struct flow_change {
	bool is_reached;
	uint64_t *gen, *kill;
};

struct flow_alive_input {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_arguments *arguments;
	const struct flow_joins *joins;
};

struct flow_alive {
	struct flow_alive_input in;
	bool *is_thread_relevant;           /* of each function: it or what it calls starts or joins */
	bool *ends_threads;                 /* of each function: it or what it calls ends the thread */
	uint64_t *may_start;                /* of each function: roots */
	struct flow_change *changes;        /* of each relevant function, from entry to return */
	struct flow_change **block_changes; /* of each relevant function: from entry to each block */
	bool *is_void;                      /* of each join: it turned out not to be so */
	uint64_t *leftover;                 /* of each root: what it started that may be alive when it ends */
	uint64_t *concurrent_roots;         /* of each root: what may be alive while it is, and was not started by it */
	uint64_t **at_entry; /* of each root and function: what came from the root and is alive at entry; null */
};

void flow_alive_solve(const struct flow_alive_input *in, struct flow_alive *alive);
void flow_alive_release(struct flow_alive *alive);

/* What is alive at the start of a block when `entry` is at the function's; false: not reached. */
bool flow_alive_at(const struct flow_alive *alive, uint32_t function, uint32_t block, const uint64_t *entry,
		   uint64_t *set);
/* Calls each for every call of a block (an index of calls), in order, with what is alive before it, and with WHOLE_NONE where the
 * function returns. set is what is alive at the block's start and becomes what is at its end. False: the end is not reached. */
typedef void flow_alive_each(void *context, uint32_t call, const uint64_t *set);
bool flow_alive_block(const struct flow_alive *alive, uint32_t function, uint32_t block, uint64_t *set,
		      flow_alive_each *each, void *context);
/* Takes away what is over along an edge. */
void flow_alive_edge(const struct flow_alive *alive, uint32_t function, uint32_t block, uint32_t successor,
		     uint64_t *set);
/* Adds what a call starts. */
void flow_alive_start(const struct flow_alive *alive, uint32_t call, uint64_t *set);

/* Where the sets of each root's functions begin; then which roots are alive concurrently. Returns whether joins turned
 * out to be void. */
bool flow_concurrent_solve(struct flow_alive *alive);

#endif
