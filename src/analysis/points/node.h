/*
 * node.h: nodes, their edges, and which of them have something to pass on. Edges are inclusions. Constraints are only
 * stored here; analysis/points/solver.c applies them.
 */
#ifndef ANALYSIS_POINTS_NODE_H
#define ANALYSIS_POINTS_NODE_H

#include "analysis/points/bits.h"
#include "analysis/points/set.h"
#include "analysis/points/table.h"

enum constraint_kind {
	CONSTRAINT_LOAD,     /* a += contents; b: bytes */
	CONSTRAINT_STORE,    /* contents += a; b: bytes */
	CONSTRAINT_OFFSET,   /* a += item + b, + multiples of c */
	CONSTRAINT_SUM,      /* the same of a number: what is not in the object then is anywhere in it */
	CONSTRAINT_OUT,      /* copies to move a */
	CONSTRAINT_IN,       /* copies from move a */
	CONSTRAINT_ENTRY,    /* of move a: number b */
	CONSTRAINT_MIX_OUT,  /* a += all contents of the object */
	CONSTRAINT_MIX_IN,   /* any contents of the object += a */
	CONSTRAINT_INSIDE,   /* a += anywhere in the object */
	CONSTRAINT_CALLEE,   /* of call a */
	CONSTRAINT_CALLBACK, /* number a */
	CONSTRAINT_OUTSIDE,  /* known to code that is not analysed */
	CONSTRAINT_SHARE,    /* the cells of object a share what is in them */
};

struct constraint {
	uint32_t kind, a;
	int64_t b, c;
};

struct node {
	uint32_t parent;
	uint32_t order;  /* lower ones first */
	uint8_t queued;  /* 0: not, 1: in this round, 2: for the next */
	bool is_unified; /* it was merged with others because the budget was over */
	struct bits points;
	struct bits fresh; /* those of them that edges and constraints have not seen yet */
	struct set edges;
	struct constraint *constraints;
	uint32_t constraint_count, constraint_room;
};

/* The work list: nodes with fresh cells. Only node.c uses it, but for the steps, which solver.c counts and others read. */
struct work {
	uint32_t *queue, *next; /* a heap by order, and the nodes of the next round */
	uint32_t queue_count, queue_room, next_count, next_room;
	uint32_t now_order;
	uint64_t step_count; /* cells that were shown to an edge or a constraint */
};

/* Written by node.c, and by cycle.c where nodes are merged; read by all. */
struct node_table {
	struct node *rows;
	uint32_t count, room;
	uint64_t edge_count, edges_at_pass;
	uint64_t constraint_count, merged_count; /* for the statistics */
	bool is_unifying;                        /* solving takes too long: edges merge their ends; set by solver.c */
	struct work work;
};

/* The node of something that points nowhere. */
#define NODE_EMPTY 0

void node_table_init(struct node_table *nodes);
void node_table_release(struct node_table *nodes);

uint32_t node_new(struct node_table *nodes);
/* Nothing is in it any more, and nothing comes from it. */
void node_clear(struct node *node);
/* Adds what edges and constraints see later. The cell stands for itself. */
void node_give(struct node_table *nodes, uint32_t node, uint32_t cell);
void node_add_edge(struct node_table *nodes, uint32_t from, uint32_t to);
/* The same where either may be NONE or NODE_EMPTY; then there is nothing to do. */
void node_link(struct node_table *nodes, uint32_t from, uint32_t to);
/* Adds cells of another to a node that stands for itself. */
void node_pass_on(struct node_table *nodes, const struct bits *from, uint32_t to);
/* Keeps the constraint; the caller must apply it to the cells that the node has already. The node stands for itself. */
void node_keep_constraint(struct node_table *nodes, uint32_t node, struct constraint constraint);
/* What is fresh; it is not any more. The caller's to release. */
struct bits node_take_fresh(struct node_table *nodes, uint32_t node);
/* Cells that the node has are to be seen once more. */
void node_add_fresh(struct node_table *nodes, uint32_t node, const struct bits *cells);
/* The node has these cells instead of its own; both sets are the node's then. */
void node_replace(struct node_table *nodes, uint32_t node, struct bits points, struct bits fresh);
/* The node becomes one with all nodes that it has edges to. */
void node_merge_edges(struct node_table *nodes, uint32_t node);

static inline uint32_t node_find(struct node_table *nodes, uint32_t node)
{
	struct node *rows = nodes->rows;
	while (rows[node].parent != node) {
		rows[node].parent = rows[rows[node].parent].parent;
		node = rows[node].parent;
	}
	return node;
}

/* ---- rounds ---- */

/* Puts what waits for the next round into the queue; false when nothing does. */
bool work_start(struct node_table *nodes);
/* The next node of the round, which stands for itself, or NONE. Nodes that come after it may join the round. */
uint32_t work_next(struct node_table *nodes);
/* Ends the round before its time: what is left is for the next one. */
void work_stop(struct node_table *nodes);
/* Whether there are enough new edges to make a search for cycles worthwhile. */
bool work_has_new_edges(const struct node_table *nodes);

/* ---- analysis/points/cycle.c ---- */

/* Merges the nodes of each cycle of edges and orders the rest so that edges lead from lower to higher orders. */
void node_collapse_cycles(struct node_table *nodes);
void node_merge(struct node_table *nodes, uint32_t into, uint32_t from);
/* The node, if it has fresh cells, which stands for itself, is visited in this round or in the next. */
void node_queue(struct node_table *nodes, uint32_t node);

#endif
