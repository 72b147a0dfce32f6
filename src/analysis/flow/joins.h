/*
 * joins.h: which calls, and which ways out of loops, certainly wait for which roots, if what they assume of other threads holds.
 * Input: struct flow_program, struct flow_threads, struct flow_single. Result: struct flow_joins. joining.h has what the files that look for
 * them share.
 */
#ifndef ANALYSIS_FLOW_JOINS_H
#define ANALYSIS_FLOW_JOINS_H

#include "analysis/flow/sets.h"

struct flow_program;
struct flow_single;
struct flow_threads;

/* After it, all threads of these roots are over, if at no time more than one of them (or more than one round of the loop that
 * makes them) is alive; analysis/flow/alive.c finds out whether that is so. It happens at a call, or along the edges out of a loop. */
struct flow_join {
	uint32_t call; /* instruction, or WHOLE_NONE: a loop */
	uint32_t next; /* of the same call, or WHOLE_NONE */
	struct flow_ids roots;
	uint32_t function;
	/* Of a loop: edges into the loops that make them, and those along which it happens: block within the function and
	 * number of the successor, in turn; the first are in a function of their own. */
	struct flow_ids entries, edges;
	uint32_t entry_function;
	bool is_distant; /* that is another one */
	/* At most one thread of each of them may be alive (each is made by a call of its own, through an element of its own), or one of
	 * all of them (they are made through one place). */
	bool is_one_of_each, is_one_of_all;
	/* All handles are where they were found empty. No other thread may start some then, or have one in a stack slot or a value of
	 * these functions; if the place itself is one, it is that of this function, else WHOLE_NONE. */
	bool is_owned;
	uint32_t owner;
	struct flow_ids holders;
	struct flow_ids rounds; /* that must be so in all these blocks */
};

struct flow_joins {
	struct flow_join *rows;
	uint32_t count, room;
	struct flow_ids *of_function; /* of each function: joins in it */
	uint32_t *of_call;            /* of each call: the first of its joins, or WHOLE_NONE */
};

void flow_joins_find(const struct flow_program *program, const struct flow_threads *threads,
		     const struct flow_single *single, struct flow_joins *joins);
void flow_joins_release(const struct flow_program *program, struct flow_joins *joins);

#endif
