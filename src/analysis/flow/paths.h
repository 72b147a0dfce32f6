/*
 * paths.h: where pointers come from, as expressions that can be compared: locks are named by them.
 * Input: struct flow_paths_input. Result: struct flow_paths. What memory keeps its value is found once; the expressions are found when
 * they are asked for, and kept. So later phases may add nodes, which changes no answer that was given.
 */
#ifndef ANALYSIS_FLOW_PATHS_H
#define ANALYSIS_FLOW_PATHS_H

#include "analysis/flow/sets.h"

struct flow_alive;
struct flow_program;
struct flow_single;

#define NODE_NONE UINT32_MAX
enum node_kind { NODE_PARAMETER, NODE_VALUE, NODE_OBJECT, NODE_LOAD, NODE_INDEX, NODE_RETURN };

/* Where an address comes from. A row of an interned table: no padding. */
struct node {
	uint32_t kind;
	uint32_t index;  /* number of the parameter; value; object; of LOAD and INDEX the node below */
	int64_t offset;  /* LOAD: *(below + offset) */
	uint64_t stride; /* INDEX: below + stride * by */
	uint32_t by;     /* INDEX: a node */
	uint32_t zero;
};

/* A node and a distance from it. */
struct path {
	uint32_t node;
	int64_t offset;
};

/* What is `node` on one side of a call is `path` on the other. */
struct binding {
	uint32_t node;
	struct path path;
};

struct bindings {
	struct binding *items;
	uint32_t count, room;
	bool keeps_parameters; /* parameters have the same meaning on both sides */
};

struct flow_paths_input {
	const struct flow_program *program;
	const struct flow_single *single;
	const struct flow_alive *alive;
};

struct flow_paths {
	struct flow_paths_input in;
	struct flow_interned nodes;
	uint32_t *value_node; /* of each value: 1 + its node; 0: not known yet */
	int64_t *value_offset;
	bool *is_unstable; /* of each location: written while several threads are alive */
	bool *is_object_unstable;
};

void flow_paths_init(const struct flow_paths_input *in, struct flow_paths *paths);
void flow_paths_release(struct flow_paths *paths);
struct path flow_path(struct flow_paths *paths, uint32_t value);
struct node flow_node(const struct flow_paths *paths, uint32_t node);
uint32_t flow_make_node(struct flow_paths *paths, struct node node);
/* Whether the node means the same in every function. */
bool flow_is_global(const struct flow_paths *paths, uint32_t node);
bool flow_has_load(const struct flow_paths *paths, uint32_t node);
/* Whether the node names a value that is made in the block, so that another round of a loop makes it anew. */
bool flow_is_made_in(const struct flow_paths *paths, uint32_t node, uint32_t block);
/* The node as the other side of a call sees it; .node is NODE_NONE when it cannot. */
struct path flow_rewrite(struct flow_paths *paths, uint32_t node, const struct bindings *bindings);

#endif
