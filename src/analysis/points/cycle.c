/*
 * cycle.c: nodes on a cycle of edges have the same set, and become one. The cycles are those of all edges there are
 * at the time, found by Tarjan's algorithm (1972) without recursion; the same pass gives the order in which nodes are best
 * visited.
 */
#include "analysis/points/node.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* What the edges and constraints of both have seen is seen; the rest is fresh. */
static void merge_points(struct node *into, struct node *from)
{
	struct bits into_seen = { 0 }, from_seen = { 0 }, seen = { 0 };
	bits_without(&into->points, &into->fresh, &into_seen);
	bits_without(&from->points, &from->fresh, &from_seen);
	bits_both(&into_seen, &from_seen, &seen);
	bits_join(&into->points, &from->points, NULL);
	bits_release(&into->fresh);
	bits_without(&into->points, &seen, &into->fresh);
	bits_release(&into_seen);
	bits_release(&from_seen);
	bits_release(&seen);
	bits_release(&from->points);
	bits_release(&from->fresh);
}

static int compare_constraints(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct constraint));
}

static void merge_constraints(struct node *into, struct node *from)
{
	if (!from->constraint_count)
		return;
	uint32_t count = into->constraint_count + from->constraint_count;
	if (count > into->constraint_room) {
		into->constraint_room = count + count / 2;
		into->constraints = mem_resize(into->constraints, into->constraint_room * sizeof *into->constraints);
	}
	memcpy(into->constraints + into->constraint_count, from->constraints,
	       from->constraint_count * sizeof *from->constraints);
	into->constraint_count = count;
	free(from->constraints);
	from->constraints = NULL;
	from->constraint_count = from->constraint_room = 0;
}

/* Leaves out constraints that are there twice. */
static void thin_constraints(struct node_table *nodes, struct node *node)
{
	for (uint32_t i = 0; i < node->constraint_count; i++) {
		struct constraint *row = &node->constraints[i];
		if (row->kind <= CONSTRAINT_OFFSET || row->kind == CONSTRAINT_MIX_OUT ||
		    row->kind == CONSTRAINT_MIX_IN || row->kind == CONSTRAINT_INSIDE)
			row->a = node_find(nodes, row->a);
	}
	if (node->constraint_count < 2)
		return;
	qsort(node->constraints, node->constraint_count, sizeof *node->constraints, compare_constraints);
	uint32_t count = 1;
	for (uint32_t i = 1; i < node->constraint_count; i++)
		if (memcmp(&node->constraints[i], &node->constraints[count - 1], sizeof *node->constraints) != 0)
			node->constraints[count++] = node->constraints[i];
	node->constraint_count = count;
}

void node_merge(struct node_table *nodes, uint32_t into, uint32_t from)
{
	if (into == from)
		return;
	struct node *a = &nodes->rows[into], *b = &nodes->rows[from];
	if (a->parent != into || b->parent != from)
		BUG("points-to: nodes %u and %u are merged, and one was before", into, from);
	nodes->merged_count++;
	merge_points(a, b);
	merge_constraints(a, b);
	for (uint32_t i = 0; i < b->edges.count; i++) {
		uint32_t to = node_find(nodes, b->edges.items[i]);
		if (to != into && to != from)
			set_add(&a->edges, to);
	}
	set_release(&b->edges);
	b->parent = into;
	a->is_unified |= b->is_unified || nodes->is_unifying;
	if (a->fresh.count)
		node_queue(nodes, into);
}

/* ---- Tarjan ---- */

struct frame {
	uint32_t node, edge;
};

struct pass {
	uint32_t *number, *low; /* number: 0 is not seen yet */
	uint8_t *is_open;
	uint32_t *stack;
	struct frame *frames;
	uint32_t stack_count, frame_count, count;
	uint32_t component; /* counts down: sources get the lowest order at the end */
};

static void open_node(struct pass *pass, uint32_t node)
{
	pass->number[node] = pass->low[node] = ++pass->count;
	pass->is_open[node] = 1;
	pass->stack[pass->stack_count++] = node;
	pass->frames[pass->frame_count++] = (struct frame){ node, 0 };
}

/* All nodes above this one on the stack are one component. */
static void close_component(struct node_table *nodes, struct pass *pass, uint32_t node)
{
	uint32_t first = pass->stack_count, best = node;
	do {
		first--;
		uint32_t member = pass->stack[first];
		pass->is_open[member] = 0;
		if (nodes->rows[member].points.count > nodes->rows[best].points.count)
			best = member;
	} while (pass->stack[first] != node);
	for (uint32_t i = first; i < pass->stack_count; i++)
		node_merge(nodes, best, pass->stack[i]);
	if (pass->stack_count - first > 1)
		thin_constraints(nodes, &nodes->rows[best]);
	nodes->rows[best].order = pass->component--;
	pass->stack_count = first;
}

static void tidy_edges(struct node_table *nodes, uint32_t node)
{
	struct set *edges = &nodes->rows[node].edges;
	uint32_t stale = 0;
	for (uint32_t i = 0; i < edges->count; i++)
		stale += nodes->rows[edges->items[i]].parent != edges->items[i];
	if (!stale)
		return;
	struct set fresh = { 0 };
	for (uint32_t i = 0; i < edges->count; i++) {
		uint32_t to = node_find(nodes, edges->items[i]);
		if (to != node)
			set_add(&fresh, to);
	}
	nodes->edge_count -= edges->count - fresh.count;
	set_release(edges);
	nodes->rows[node].edges = fresh;
}

static void walk(struct node_table *nodes, struct pass *pass, uint32_t root)
{
	open_node(pass, root);
	while (pass->frame_count) {
		struct frame *frame = &pass->frames[pass->frame_count - 1];
		uint32_t node = frame->node;
		const struct set *edges = &nodes->rows[node].edges;
		if (frame->edge < edges->count) {
			/* Nodes that are merged in this pass are closed already: their own numbers say so. */
			uint32_t to = edges->items[frame->edge++];
			if (!pass->number[to])
				open_node(pass, to);
			else if (pass->is_open[to] && pass->number[to] < pass->low[node])
				pass->low[node] = pass->number[to];
			continue;
		}
		pass->frame_count--;
		if (pass->frame_count) {
			uint32_t before = pass->frames[pass->frame_count - 1].node;
			if (pass->low[node] < pass->low[before])
				pass->low[before] = pass->low[node];
		}
		if (pass->low[node] == pass->number[node])
			close_component(nodes, pass, node);
	}
}

void node_collapse_cycles(struct node_table *nodes)
{
	uint32_t count = nodes->count;
	struct pass pass = { .component = UINT32_MAX - 1 };
	pass.number = mem_alloc(count * sizeof *pass.number);
	pass.low = mem_alloc(count * sizeof *pass.low);
	pass.is_open = mem_alloc(count);
	pass.stack = mem_alloc(count * sizeof *pass.stack);
	pass.frames = mem_alloc(count * sizeof *pass.frames);
	for (uint32_t i = 0; i < count; i++)
		if (nodes->rows[i].parent == i)
			tidy_edges(nodes, i);
	for (uint32_t i = 0; i < count; i++)
		if (nodes->rows[i].parent == i && !pass.number[i])
			walk(nodes, &pass, i);
	free(pass.number);
	free(pass.low);
	free(pass.is_open);
	free(pass.stack);
	free(pass.frames);
	nodes->edges_at_pass = nodes->edge_count;
}
