/*
 * node.c: nodes, their edges, and the work list. A node that gets new cells is queued: for this round if its turn, in the
 * order of the edges, is still to come, else for the next. It needs nothing but its own table. See analysis/points/node.h.
 */
#include "analysis/points/node.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/heap.h"
#include "base/mem.h"

void node_table_init(struct node_table *nodes)
{
	*nodes = (struct node_table){ .work.now_order = UINT32_MAX };
	if (node_new(nodes) != NODE_EMPTY)
		BUG("the first node is another");
}

void node_table_release(struct node_table *nodes)
{
	for (uint32_t i = 0; i < nodes->count; i++)
		node_clear(&nodes->rows[i]);
	free(nodes->rows);
	free(nodes->work.queue);
	free(nodes->work.next);
}

void node_clear(struct node *node)
{
	bits_release(&node->points);
	bits_release(&node->fresh);
	set_release(&node->edges);
	free(node->constraints);
	node->constraints = NULL;
	node->constraint_count = node->constraint_room = 0;
}

uint32_t node_new(struct node_table *nodes)
{
	uint32_t index = nodes->count;
	nodes->rows = table_grow(nodes->rows, index, &nodes->room, sizeof *nodes->rows);
	nodes->rows[index] = (struct node){ .parent = index, .order = UINT32_MAX };
	nodes->count++;
	return index;
}

/* ---- the queue: a binary heap by order ---- */

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct node_table *nodes = context;
	return nodes->rows[a].order != nodes->rows[b].order ? nodes->rows[a].order < nodes->rows[b].order : a < b;
}

static void heap_push(struct node_table *nodes, uint32_t node)
{
	struct work *work = &nodes->work;
	work->queue = table_grow(work->queue, work->queue_count, &work->queue_room, sizeof *work->queue);
	heap_add(work->queue, work->queue_count++, node, is_before, nodes);
}

static uint32_t heap_pop(struct node_table *nodes)
{
	return heap_take(nodes->work.queue, nodes->work.queue_count--, is_before, nodes);
}

void node_queue(struct node_table *nodes, uint32_t node)
{
	struct node *row = &nodes->rows[node];
	struct work *work = &nodes->work;
	if (row->queued)
		return;
	if (row->order > work->now_order) {
		row->queued = 1;
		heap_push(nodes, node);
		return;
	}
	row->queued = 2;
	work->next = table_grow(work->next, work->next_count, &work->next_room, sizeof *work->next);
	work->next[work->next_count++] = node;
}

/* ---- rounds ---- */

bool work_start(struct node_table *nodes)
{
	struct work *work = &nodes->work;
	uint32_t count = work->next_count;
	if (!count)
		return false;
	work->now_order = 0;
	work->next_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = work->next[i];
		nodes->rows[node].queued = 0;
		if (nodes->rows[node].parent != node)
			continue;
		nodes->rows[node].queued = 1;
		heap_push(nodes, node);
	}
	return true;
}

uint32_t work_next(struct node_table *nodes)
{
	while (nodes->work.queue_count) {
		uint32_t node = heap_pop(nodes);
		nodes->rows[node].queued = 0;
		if (nodes->rows[node].parent != node)
			continue;
		nodes->work.now_order = nodes->rows[node].order;
		return node;
	}
	return NONE;
}

void work_stop(struct node_table *nodes)
{
	struct work *work = &nodes->work;
	work->now_order = UINT32_MAX;
	while (work->queue_count) {
		uint32_t node = work->queue[--work->queue_count];
		nodes->rows[node].queued = 0;
		if (nodes->rows[node].parent == node)
			node_queue(nodes, node);
	}
}

bool work_has_new_edges(const struct node_table *nodes)
{
	return nodes->edge_count > nodes->edges_at_pass + nodes->edges_at_pass / 8 + 2000;
}

/* ---- what nodes are given ---- */

void node_give(struct node_table *nodes, uint32_t node, uint32_t cell)
{
	if (node >= nodes->count)
		BUG("points-to: cell %u is given to node %u of %u", cell, node, nodes->count);
	node = node_find(nodes, node);
	if (!bits_add(&nodes->rows[node].points, cell))
		return;
	bits_add(&nodes->rows[node].fresh, cell);
	node_queue(nodes, node);
}

void node_pass_on(struct node_table *nodes, const struct bits *from, uint32_t to)
{
	nodes->work.step_count += from->count;
	if (bits_join(&nodes->rows[to].points, from, &nodes->rows[to].fresh))
		node_queue(nodes, to);
}

void node_add_edge(struct node_table *nodes, uint32_t from, uint32_t to)
{
	if (from >= nodes->count || to >= nodes->count)
		BUG("points-to: an edge from node %u to %u of %u", from, to, nodes->count);
	from = node_find(nodes, from);
	to = node_find(nodes, to);
	if (from == to)
		return;
	if (nodes->is_unifying) {
		node_merge(nodes, from, to);
		return;
	}
	if (!set_add(&nodes->rows[from].edges, to))
		return;
	nodes->edge_count++;
	/* What is fresh is passed on later; that it is passed on now, too, does no harm. */
	node_pass_on(nodes, &nodes->rows[from].points, to);
}

void node_link(struct node_table *nodes, uint32_t from, uint32_t to)
{
	if (from != NODE_EMPTY && from != NONE && to != NODE_EMPTY && to != NONE)
		node_add_edge(nodes, from, to);
}

void node_keep_constraint(struct node_table *nodes, uint32_t node, struct constraint constraint)
{
	struct node *row = &nodes->rows[node];
	if (row->constraint_count == row->constraint_room) {
		row->constraint_room = row->constraint_room ? row->constraint_room * 2 : 2;
		row->constraints = mem_resize(row->constraints, row->constraint_room * sizeof *row->constraints);
	}
	row->constraints[row->constraint_count++] = constraint;
	nodes->constraint_count++;
}

struct bits node_take_fresh(struct node_table *nodes, uint32_t node)
{
	struct bits fresh = nodes->rows[node].fresh;
	nodes->rows[node].fresh = (struct bits){ 0 };
	return fresh;
}

void node_add_fresh(struct node_table *nodes, uint32_t node, const struct bits *cells)
{
	bits_join(&nodes->rows[node].fresh, cells, NULL);
	node_queue(nodes, node);
}

void node_replace(struct node_table *nodes, uint32_t node, struct bits points, struct bits fresh)
{
	struct node *row = &nodes->rows[node];
	bits_release(&row->points);
	bits_release(&row->fresh);
	row->points = points;
	row->fresh = fresh;
	if (fresh.count)
		node_queue(nodes, node);
}

void node_merge_edges(struct node_table *nodes, uint32_t node)
{
	while (nodes->rows[node].edges.count) {
		uint32_t to = node_find(nodes, nodes->rows[node].edges.items[0]);
		if (to == node)
			set_remove_first(&nodes->rows[node].edges);
		else
			node_merge(nodes, node, to);
	}
}
