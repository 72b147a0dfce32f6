/*
 * graph.h: the classical algorithms on control flow and call graphs, over nodes 0 to node_count - 1: reverse postorder,
 * dominators (Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001), post-dominators, natural loops, strongly
 * connected components (Tarjan 1972). Pure: no knowledge of programs. Each result belongs to the caller.
 */
#ifndef ANALYSIS_PROGRAM_GRAPH_H
#define ANALYSIS_PROGRAM_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_NONE UINT32_MAX

/* Edges as lists: those of node n are targets[first[n]] to targets[first[n + 1] - 1]. */
struct graph {
	uint32_t node_count;
	uint32_t *first; /* node_count + 1 */
	uint32_t *targets;
};

void graph_release(struct graph *graph);
/* The same edges the other way round. */
void graph_reverse(const struct graph *graph, struct graph *reversed);

/* Nodes that can be reached from root, in reverse postorder; returns how many. order has room for all nodes. */
uint32_t graph_order(const struct graph *graph, uint32_t root, uint32_t *order);

/* parent[n] is the immediate dominator of n; of root and of what cannot be reached it is GRAPH_NONE. */
void graph_dominators(const struct graph *graph, uint32_t root, uint32_t *parent);
bool graph_dominates(const uint32_t *parent, uint32_t over, uint32_t under);

/* Dominators of the reversed graph from a root of its own that all nodes without successors lead to; nodes in endless loops
 * are linked to it, too. parent[n] == GRAPH_NONE: only that root. */
void graph_post_dominators(const struct graph *graph, uint32_t root, uint32_t *parent);

/* Natural loops: loop_of[n] is the header of the innermost loop around n, or GRAPH_NONE; outer[h], for a header h, is the header of the
 * loop around that one. is_irreducible (may be null) is set when there is a cycle that no header dominates; its nodes count as
 * one loop whose header is the first of them in reverse postorder. */
void graph_loops(const struct graph *graph, uint32_t root, uint32_t *loop_of, uint32_t *outer, bool *is_irreducible);

/* Strongly connected components: component[n], numbered so that an edge between two leads from a higher to a lower number
 * (callees first). is_cycle[c] (may be null; room for node_count): more than one node, or an edge to itself. Returns how many. */
uint32_t graph_components(const struct graph *graph, uint32_t *component, bool *is_cycle);

#endif
