/*
 * solver.c: propagation. A node that got new cells passes them on along its edges and shows them to its
 * constraints, only the new ones (Pearce, Kelly, Hankin, "Online cycle detection and difference propagation for pointer analysis",
 * SCAM 2003). Nodes are taken in the order of the edges, in rounds; between rounds cycles are collapsed (analysis/points/cycle.c), as in wave
 * propagation (Pereira, Berlin, CGO 2009), but constraints are applied at once.
 *
 * When the budget is over, edges merge their ends instead of passing anything on, and pointers lose their offsets: that is
 * unification (Steensgaard 1996) of all that is not at rest, and ends soon.
 */
#include <stdlib.h>

#include "analysis/points/points_priv.h"
#include "base/err.h"
#include "base/mem.h"

enum { POINTER_BYTES = 8, MOST_SLOTS = 64, HALF_STEPS = 20000000 };

uint32_t node_new(struct points *points)
{
	uint32_t index = points->node_count;
	points->nodes = points_grow(points->nodes, index, &points->node_room, sizeof *points->nodes);
	points->nodes[index] = (struct node){ .parent = index, .order = UINT32_MAX };
	points->node_count++;
	return index;
}

/* ---- the queue: a binary heap by order ---- */

static bool is_before(const struct points *points, uint32_t a, uint32_t b)
{
	return points->nodes[a].order != points->nodes[b].order ? points->nodes[a].order < points->nodes[b].order
								: a < b;
}

static void heap_push(struct points *points, uint32_t node)
{
	points->queue = points_grow(points->queue, points->queue_count, &points->queue_room, sizeof *points->queue);
	uint32_t at = points->queue_count++;
	for (; at && is_before(points, node, points->queue[(at - 1) / 2]); at = (at - 1) / 2)
		points->queue[at] = points->queue[(at - 1) / 2];
	points->queue[at] = node;
}

static uint32_t heap_pop(struct points *points)
{
	uint32_t *queue = points->queue, first = queue[0], node = queue[--points->queue_count], at = 0;
	for (;;) {
		uint32_t child = at * 2 + 1;
		if (child >= points->queue_count)
			break;
		if (child + 1 < points->queue_count && is_before(points, queue[child + 1], queue[child]))
			child++;
		if (!is_before(points, queue[child], node))
			break;
		queue[at] = queue[child];
		at = child;
	}
	queue[at] = node;
	return first;
}

void node_queue(struct points *points, uint32_t node)
{
	struct node *row = &points->nodes[node];
	if (row->queued)
		return;
	if (row->order > points->now_order) {
		row->queued = 1;
		heap_push(points, node);
		return;
	}
	row->queued = 2;
	points->next = points_grow(points->next, points->next_count, &points->next_room, sizeof *points->next);
	points->next[points->next_count++] = node;
}

/* ---- what nodes are given ---- */

void node_add_cell(struct points *points, uint32_t node, uint32_t cell)
{
	if (cell == NONE)
		return;
	if (node >= points->node_count || cell >= points->cell_count)
		BUG("points-to: cell %u of %u, node %u of %u", cell, points->cell_count, node, points->node_count);
	node = node_find(points, node);
	cell = cell_find(points, cell);
	if (!bits_add(&points->nodes[node].points, cell))
		return;
	bits_add(&points->nodes[node].fresh, cell);
	node_queue(points, node);
}

static void pass_on(struct points *points, const struct bits *from, uint32_t to)
{
	points->statistics.steps += from->count;
	if (bits_join(&points->nodes[to].points, from, &points->nodes[to].fresh))
		node_queue(points, to);
}

void node_add_edge(struct points *points, uint32_t from, uint32_t to)
{
	if (from >= points->node_count || to >= points->node_count)
		BUG("points-to: an edge from node %u to %u of %u", from, to, points->node_count);
	from = node_find(points, from);
	to = node_find(points, to);
	if (from == to)
		return;
	if (points->is_unifying) {
		node_merge(points, from, to);
		return;
	}
	if (!set_add(&points->nodes[from].edges, to))
		return;
	points->edge_count++;
	/* What is fresh is passed on later; that it is passed on now, too, does no harm. */
	pass_on(points, &points->nodes[from].points, to);
}

/* ---- constraints ---- */

static void load(struct points *points, uint32_t cell, uint32_t to, int64_t size_bytes, bool is_store)
{
	int64_t slots = size_bytes / POINTER_BYTES;
	if (points->cells[cell].offset == CELL_ANYWHERE || !points->cells[cell].object)
		slots = 1;
	if (slots > MOST_SLOTS) {
		cell = cell_anywhere(points, points->cells[cell].object);
		slots = 1;
	}
	for (int64_t slot = 0; slot < slots; slot++) {
		struct cells cells = { .items = { cell }, .count = 1 };
		if (slot)
			cell_add(points, cell, slot * POINTER_BYTES, 0, &cells);
		for (uint32_t i = 0; i < cells.count; i++) {
			const struct cell *row = &points->cells[cell_find(points, cells.items[i])];
			if (is_store && row->in != NONE)
				node_add_edge(points, to, row->in);
			else if (!is_store && row->out != NONE)
				node_add_edge(points, row->out, to);
		}
	}
}

static void add_offset(struct points *points, uint32_t cell, const struct constraint *constraint)
{
	struct cells cells;
	if (points->is_unifying) {
		node_add_cell(points, constraint->a, cell_anywhere(points, points->cells[cell].object));
		return;
	}
	cell_add(points, cell, constraint->b, (uint64_t)constraint->c, &cells);
	for (uint32_t i = 0; i < cells.count; i++)
		node_add_cell(points, constraint->a, cells.items[i]);
	if (!cells.count && constraint->kind == CONSTRAINT_SUM)
		node_add_cell(points, constraint->a, cell_anywhere(points, points->cells[cell].object));
}

static void mix(struct points *points, uint32_t cell, uint32_t node, bool is_in)
{
	struct cell row = cell_anywhere_row(points, points->cells[cell].object);
	if (is_in && row.in != NONE)
		node_add_edge(points, node, row.in);
	else if (!is_in && row.out != NONE)
		node_add_edge(points, row.out, node);
}

static void apply(struct points *points, const struct constraint *constraint, uint32_t cell)
{
	cell = cell_find(points, cell);
	const struct whole_object *object = &points->whole->object[points->cells[cell].object];
	switch (constraint->kind) {
	case CONSTRAINT_LOAD:
	case CONSTRAINT_STORE:
		load(points, cell, constraint->a, constraint->b, constraint->kind == CONSTRAINT_STORE);
		break;
	case CONSTRAINT_OFFSET:
	case CONSTRAINT_SUM:
		add_offset(points, cell, constraint);
		break;
	case CONSTRAINT_OUT:
		move_add_source(points, constraint->a, cell);
		break;
	case CONSTRAINT_IN:
		move_add_destination(points, constraint->a, cell);
		break;
	case CONSTRAINT_ENTRY:
		move_live(points, constraint->a, (uint32_t)constraint->b);
		break;
	case CONSTRAINT_MIX_OUT:
	case CONSTRAINT_MIX_IN:
		mix(points, cell, constraint->a, constraint->kind == CONSTRAINT_MIX_IN);
		break;
	case CONSTRAINT_INSIDE:
		node_add_cell(points, constraint->a, cell_anywhere(points, points->cells[cell].object));
		break;
	case CONSTRAINT_CALLEE:
		if (cell == points->crowd_cell)
			crowd_add_call(points, constraint->a);
		else if (object->kind == WHOLE_CODE && call_fits(points, constraint->a, object->function))
			call_resolve(points, constraint->a, object->function);
		else if (object->kind == WHOLE_OUTSIDE)
			call_outside(points, constraint->a);
		break;
	case CONSTRAINT_CALLBACK:
		if (cell == points->crowd_cell)
			crowd_add_callback(points, constraint->a);
		else if (object->kind == WHOLE_CODE)
			callback_resolve(points, constraint->a, object->function);
		break;
	case CONSTRAINT_SHARE:
		cell_share(points, constraint->a);
		break;
	case CONSTRAINT_OUTSIDE:
		outside_see_cell(points, cell);
		break;
	}
}

/* Cells of an object whose anywhere is in the set, too, or whose lump is, add nothing to it: whatever is done with them is done
 * with that. */
static void leave_out(struct points *points, const struct bits *all, struct bits *fresh)
{
	struct bits kept = { 0 };
	uint32_t cell;
	bool has_lump = points->lump_cell != NONE && bits_has(all, points->lump_cell),
	     has_crowd = points->crowd_cell != NONE && bits_has(all, points->crowd_cell);
	for (struct bits_at at = { .bits = fresh }; bits_next(&at, &cell);) {
		const struct target *target = &points->targets[points->cells[cell].object];
		bool is_said = false;
		if ((has_lump || has_crowd) && target->is_lumped) {
			uint32_t lump = lump_cell_of(points, points->cells[cell].object);
			is_said = cell != lump && (lump == points->lump_cell ? has_lump : has_crowd);
		}
		if (!is_said && target->anywhere != NONE && target->anywhere != cell)
			is_said = bits_has(all, target->anywhere);
		if (!is_said)
			bits_push(&kept, cell);
	}
	bits_release(fresh);
	*fresh = kept;
}

/* Shows cells to a constraint. */
static void apply_all(struct points *points, const struct constraint *constraint, const struct bits *cells)
{
	uint32_t cell;
	/* To these it is enough that there is any. */
	if ((constraint->kind == CONSTRAINT_ENTRY && points->entries[constraint->b].is_live) ||
	    (constraint->kind == CONSTRAINT_SHARE && cell_target(points, constraint->a)->is_shared))
		return;
	for (struct bits_at at = { .bits = cells }; bits_next(&at, &cell);) {
		apply(points, constraint, cell);
		points->statistics.steps++;
	}
}

void node_add_constraint(struct points *points, uint32_t node, struct constraint constraint)
{
	node = node_find(points, node);
	struct node *row = &points->nodes[node];
	if (row->constraint_count == row->constraint_room) {
		row->constraint_room = row->constraint_room ? row->constraint_room * 2 : 2;
		row->constraints = mem_resize(row->constraints, row->constraint_room * sizeof *row->constraints);
	}
	row->constraints[row->constraint_count++] = constraint;
	points->statistics.constraints++;
	struct bits seen = { 0 };
	bits_without(&row->points, &row->fresh, &seen);
	leave_out(points, &row->points, &seen);
	apply_all(points, &constraint, &seen);
	bits_release(&seen);
}

/* ---- rounds ---- */

static void visit(struct points *points, uint32_t node)
{
	struct bits fresh = points->nodes[node].fresh;
	points->nodes[node].fresh = (struct bits){ 0 };
	leave_out(points, &points->nodes[node].points, &fresh);
	uint32_t edge_count = points->nodes[node].edges.count, constraint_count = points->nodes[node].constraint_count;
	for (uint32_t i = 0; i < edge_count; i++) {
		uint32_t to = node_find(points, points->nodes[node].edges.items[i]);
		if (to != node)
			pass_on(points, &fresh, to);
	}
	for (uint32_t i = 0; i < constraint_count; i++) {
		struct constraint constraint = points->nodes[node].constraints[i];
		apply_all(points, &constraint, &fresh);
	}
	bits_release(&fresh);
}

/* The same while unifying: nodes are merged on the way, also this one with others. What the constraints of those have not seen
 * is fresh then; if this one goes, it leaves what its own constraints may not have seen. */
static void visit_unifying(struct points *points, uint32_t node)
{
	while (points->nodes[node].edges.count) {
		uint32_t to = node_find(points, points->nodes[node].edges.items[0]);
		if (to == node)
			set_remove_first(&points->nodes[node].edges);
		else
			node_merge(points, node, to);
	}
	struct bits fresh = points->nodes[node].fresh;
	points->nodes[node].fresh = (struct bits){ 0 };
	leave_out(points, &points->nodes[node].points, &fresh);
	for (uint32_t i = 0; i < points->nodes[node].constraint_count; i++) {
		struct constraint constraint = points->nodes[node].constraints[i];
		apply_all(points, &constraint, &fresh);
	}
	uint32_t now = node_find(points, node);
	if (now != node && fresh.count) {
		bits_join(&points->nodes[now].fresh, &fresh, NULL);
		node_queue(points, now);
	}
	bits_release(&fresh);
}

static void start_round(struct points *points)
{
	uint32_t count = points->next_count;
	points->now_order = 0;
	points->next_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = points->next[i];
		points->nodes[node].queued = 0;
		if (points->nodes[node].parent != node)
			continue;
		points->nodes[node].queued = 1;
		heap_push(points, node);
	}
}

/* Ends the round before its time: what is left is for the next one. */
static void end_round(struct points *points)
{
	points->now_order = UINT32_MAX;
	while (points->queue_count) {
		uint32_t node = points->queue[--points->queue_count];
		points->nodes[node].queued = 0;
		if (points->nodes[node].parent == node)
			node_queue(points, node);
	}
}

static bool has_many_new_edges(const struct points *points)
{
	return points->edge_count > points->edges_at_pass + points->edges_at_pass / 8 + 2000;
}

/* How far it is cannot be known; each step that was made takes away a part of what is left. */
static void say_progress(const struct points *points)
{
	uint64_t steps = points->statistics.steps;
	if (points->options.progress)
		points->options.progress(points->options.progress_context,
					 (unsigned)(steps * 1000 / (steps + HALF_STEPS)));
}

/* Nobody has anything left that others have not seen. */
static void check_rest(const struct points *points)
{
	if (points->queue_count || points->next_count)
		BUG("points-to: %u nodes wait at the end", points->queue_count + points->next_count);
	for (uint32_t i = 0; i < points->node_count; i++) {
		const struct node *node = &points->nodes[i];
		if (node->parent >= points->node_count)
			BUG("points-to: node %u was merged with none", i);
		if (node->parent == i && (node->fresh.count || node->queued))
			BUG("points-to: node %u has %u cells that nobody has seen", i, (unsigned)node->fresh.count);
	}
	for (uint32_t i = 0; i < points->cell_count; i++)
		if (points->cells[i].parent >= points->cell_count)
			BUG("points-to: cell %u became none", i);
}

void points_propagate(struct points *points)
{
	uint64_t budget = points->options.budget;
	points_generate(points);
	points_collapse(points);
	while (points->next_count) {
		say_progress(points);
		start_round(points);
		while (points->queue_count && (points->is_unifying || !has_many_new_edges(points))) {
			uint32_t node = heap_pop(points);
			points->nodes[node].queued = 0;
			if (points->nodes[node].parent != node)
				continue;
			points->now_order = points->nodes[node].order;
			if (points->is_unifying)
				visit_unifying(points, node);
			else
				visit(points, node);
			points_generate(points);
			if (budget && points->statistics.steps > budget)
				points->is_unifying = true;
		}
		end_round(points);
		if (points->is_unifying)
			continue;
		points_lump(points);
		points_collapse(points);
	}
	check_rest(points);
}
