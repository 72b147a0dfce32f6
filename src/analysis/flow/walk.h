/*
 * walk.h: contexts: each function for each way of entering it.
 * Input: struct flow_walk_input. Result: struct flow_walk. visits.c asks once more for the locks after each call
 * (flow_walk_call). By then all contexts exist that such a call asks for, and none changes; visits.c checks that.
 */
#ifndef ANALYSIS_FLOW_WALK_H
#define ANALYSIS_FLOW_WALK_H

#include "analysis/flow/sets.h"

struct flow_alive;
struct flow_arguments;
struct flow_crowds;
struct flow_lock_sets;
struct flow_program;
struct flow_releases;
struct flow_threads;

struct flow_edge {
	uint32_t call, context; /* call: WHOLE_NONE at the function's return */
};

struct flow_context {
	uint32_t root, function;
	uint32_t crowd;          /* not WHOLE_NONE: it stands for those of a crowd's members, and has no body */
	uint32_t entry, exit;    /* sets of locks */
	uint32_t *blocks;        /* set of locks at the start of each block */
	struct flow_ids callers; /* contexts */
	bool is_queued;
	bool is_live;            /* it is entered by others that are */
	struct flow_edge *edges; /* by call; once all is known */
	uint32_t edge_count, edge_room;
	uint64_t *alive; /* what came from the root and may be alive at entry */
};

struct flow_walk_input {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_arguments *arguments;
	const struct flow_alive *alive;
	const struct flow_releases *releases;
	const struct flow_crowds *crowds;
	struct flow_lock_sets *lock_sets;
	uint32_t max_contexts; /* of a function; 0: a default */
};

struct flow_walk {
	struct flow_walk_input in;
	struct flow_interned caller_pairs; /* context and one that asked for it, each once */
	struct flow_context *contexts;
	uint32_t context_count, context_room;
	struct flow_ids *contexts_of;       /* of each root and function */
	struct flow_interned done_keys;     /* root and function -> the same number of done_counts */
	struct flow_ids done_counts;        /* contexts that are entered with something known to be done */
	struct flow_interned done_entries;  /* root, function and locks -> the same number of done_contexts */
	struct flow_ids done_contexts;      /* or WHOLE_NONE: it is entered without that */
	struct flow_interned crowd_locks;   /* crowd and locks before a call -> the same number of crowd_after */
	struct flow_ids crowd_after;        /* locks after it */
	struct flow_interned crowd_entries; /* root, crowd and locks -> the same number of crowd_contexts */
	struct flow_ids crowd_contexts;
	/* For struct flow_statistics: blocks that were walked, contexts that are live, functions whose contexts were merged. */
	uint64_t steps, live_count;
	uint32_t merged_functions;
	struct flow_ids todo; /* contexts */
	bool is_recording;    /* edges between contexts are being written down */
};

void flow_walk(const struct flow_walk_input *in, struct flow_walk *walk);
void flow_walk_release(struct flow_walk *walk);
/* The locks after a call in a context, given those before. */
uint32_t flow_walk_call(struct flow_walk *walk, uint32_t context, uint32_t call, uint32_t locks);

#endif
