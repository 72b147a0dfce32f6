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
#include "base/mem.h"

enum { POINTER_BYTES = 8, MOST_SLOTS = 64, HALF_STEPS = 20000000 };

void node_table_init(struct node_table *nodes)
{
	*nodes = (struct node_table){ .work.now_order = UINT32_MAX };
	if (node_new(nodes) != NODE_EMPTY)
		BUG("the first node is another");
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

void node_table_release(struct node_table *nodes)
{
	for (uint32_t i = 0; i < nodes->count; i++)
		node_clear(&nodes->rows[i]);
	free(nodes->rows);
	free(nodes->work.queue);
	free(nodes->work.next);
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

static bool is_before(const struct solver *solver, uint32_t a, uint32_t b)
{
	return solver->nodes.rows[a].order != solver->nodes.rows[b].order
		       ? solver->nodes.rows[a].order < solver->nodes.rows[b].order
		       : a < b;
}

static void heap_push(struct solver *solver, uint32_t node)
{
	solver->nodes.work.queue = table_grow(solver->nodes.work.queue, solver->nodes.work.queue_count,
					      &solver->nodes.work.queue_room, sizeof *solver->nodes.work.queue);
	uint32_t at = solver->nodes.work.queue_count++;
	for (; at && is_before(solver, node, solver->nodes.work.queue[(at - 1) / 2]); at = (at - 1) / 2)
		solver->nodes.work.queue[at] = solver->nodes.work.queue[(at - 1) / 2];
	solver->nodes.work.queue[at] = node;
}

static uint32_t heap_pop(struct solver *solver)
{
	uint32_t *queue = solver->nodes.work.queue, first = queue[0], node = queue[--solver->nodes.work.queue_count],
		 at = 0;
	for (;;) {
		uint32_t child = at * 2 + 1;
		if (child >= solver->nodes.work.queue_count)
			break;
		if (child + 1 < solver->nodes.work.queue_count && is_before(solver, queue[child + 1], queue[child]))
			child++;
		if (!is_before(solver, queue[child], node))
			break;
		queue[at] = queue[child];
		at = child;
	}
	queue[at] = node;
	return first;
}

void node_queue(struct solver *solver, uint32_t node)
{
	struct node *row = &solver->nodes.rows[node];
	if (row->queued)
		return;
	if (row->order > solver->nodes.work.now_order) {
		row->queued = 1;
		heap_push(solver, node);
		return;
	}
	row->queued = 2;
	solver->nodes.work.next = table_grow(solver->nodes.work.next, solver->nodes.work.next_count,
					     &solver->nodes.work.next_room, sizeof *solver->nodes.work.next);
	solver->nodes.work.next[solver->nodes.work.next_count++] = node;
}

/* ---- what nodes are given ---- */

void node_add_cell(struct solver *solver, uint32_t node, uint32_t cell)
{
	if (cell == NONE)
		return;
	node = node_find(&solver->nodes, node);
	cell = cell_find(&solver->cells, cell);
	if (!bits_add(&solver->nodes.rows[node].points, cell))
		return;
	bits_add(&solver->nodes.rows[node].fresh, cell);
	node_queue(solver, node);
}

static void pass_on(struct solver *solver, const struct bits *from, uint32_t to)
{
	solver->nodes.work.step_count += from->count;
	if (bits_join(&solver->nodes.rows[to].points, from, &solver->nodes.rows[to].fresh))
		node_queue(solver, to);
}

void node_add_edge(struct solver *solver, uint32_t from, uint32_t to)
{
	from = node_find(&solver->nodes, from);
	to = node_find(&solver->nodes, to);
	if (from == to)
		return;
	if (solver->nodes.is_unifying) {
		node_merge(solver, from, to);
		return;
	}
	if (!set_add(&solver->nodes.rows[from].edges, to))
		return;
	solver->nodes.edge_count++;
	/* What is fresh is passed on later; that it is passed on now, too, does no harm. */
	pass_on(solver, &solver->nodes.rows[from].points, to);
}

/* ---- constraints ---- */

static void load(struct solver *solver, uint32_t cell, uint32_t to, int64_t size_bytes, bool is_store)
{
	int64_t slots = size_bytes / POINTER_BYTES;
	if (solver->cells.rows[cell].offset == CELL_ANYWHERE || !solver->cells.rows[cell].object)
		slots = 1;
	if (slots > MOST_SLOTS) {
		cell = cell_anywhere(solver, solver->cells.rows[cell].object);
		slots = 1;
	}
	for (int64_t slot = 0; slot < slots; slot++) {
		struct cells cells = { .items = { cell }, .count = 1 };
		if (slot)
			cell_add(solver, cell, slot * POINTER_BYTES, 0, &cells);
		for (uint32_t i = 0; i < cells.count; i++) {
			const struct cell *row = &solver->cells.rows[cell_find(&solver->cells, cells.items[i])];
			if (is_store && row->in != NONE)
				node_add_edge(solver, to, row->in);
			else if (!is_store && row->out != NONE)
				node_add_edge(solver, row->out, to);
		}
	}
}

static void add_offset(struct solver *solver, uint32_t cell, const struct constraint *constraint)
{
	struct cells cells;
	if (solver->nodes.is_unifying) {
		node_add_cell(solver, constraint->a, cell_anywhere(solver, solver->cells.rows[cell].object));
		return;
	}
	cell_add(solver, cell, constraint->b, (uint64_t)constraint->c, &cells);
	for (uint32_t i = 0; i < cells.count; i++)
		node_add_cell(solver, constraint->a, cells.items[i]);
	if (!cells.count && constraint->kind == CONSTRAINT_SUM)
		node_add_cell(solver, constraint->a, cell_anywhere(solver, solver->cells.rows[cell].object));
}

static void mix(struct solver *solver, uint32_t cell, uint32_t node, bool is_in)
{
	struct cell row = cell_anywhere_row(solver, solver->cells.rows[cell].object);
	if (is_in && row.in != NONE)
		node_add_edge(solver, node, row.in);
	else if (!is_in && row.out != NONE)
		node_add_edge(solver, row.out, node);
}

static void apply(struct solver *solver, const struct constraint *constraint, uint32_t cell)
{
	cell = cell_find(&solver->cells, cell);
	const struct whole_object *object = &solver->whole->object[solver->cells.rows[cell].object];
	switch (constraint->kind) {
	case CONSTRAINT_LOAD:
	case CONSTRAINT_STORE:
		load(solver, cell, constraint->a, constraint->b, constraint->kind == CONSTRAINT_STORE);
		break;
	case CONSTRAINT_OFFSET:
	case CONSTRAINT_SUM:
		add_offset(solver, cell, constraint);
		break;
	case CONSTRAINT_OUT:
		move_add_source(solver, constraint->a, cell);
		break;
	case CONSTRAINT_IN:
		move_add_destination(solver, constraint->a, cell);
		break;
	case CONSTRAINT_ENTRY:
		move_live(solver, constraint->a, (uint32_t)constraint->b);
		break;
	case CONSTRAINT_MIX_OUT:
	case CONSTRAINT_MIX_IN:
		mix(solver, cell, constraint->a, constraint->kind == CONSTRAINT_MIX_IN);
		break;
	case CONSTRAINT_INSIDE:
		node_add_cell(solver, constraint->a, cell_anywhere(solver, solver->cells.rows[cell].object));
		break;
	case CONSTRAINT_CALLEE:
		if (cell == solver->crowd.cell)
			crowd_add_call(solver, constraint->a);
		else if (object->kind == WHOLE_CODE && call_fits(solver, constraint->a, object->function))
			call_resolve(solver, constraint->a, object->function);
		else if (object->kind == WHOLE_OUTSIDE)
			call_outside(solver, constraint->a);
		break;
	case CONSTRAINT_CALLBACK:
		if (cell == solver->crowd.cell)
			crowd_add_callback(solver, constraint->a);
		else if (object->kind == WHOLE_CODE)
			callback_resolve(solver, constraint->a, object->function);
		break;
	case CONSTRAINT_SHARE:
		cell_share(solver, constraint->a);
		break;
	case CONSTRAINT_OUTSIDE:
		outside_see_cell(solver, cell);
		break;
	}
}

/* Cells of an object whose anywhere is in the set, too, or whose lump is, add nothing to it: whatever is done with them is done
 * with that. */
static void leave_out(struct solver *solver, const struct bits *all, struct bits *fresh)
{
	struct bits kept = { 0 };
	uint32_t cell;
	bool has_lump = solver->lump.cell != NONE && bits_has(all, solver->lump.cell),
	     has_crowd = solver->crowd.cell != NONE && bits_has(all, solver->crowd.cell);
	for (struct bits_at at = { .bits = fresh }; bits_next(&at, &cell);) {
		const struct target *target = &solver->cells.targets[solver->cells.rows[cell].object];
		bool is_said = false;
		if ((has_lump || has_crowd) && target->is_lumped) {
			uint32_t lump = lump_cell_of(solver, solver->cells.rows[cell].object);
			is_said = cell != lump && (lump == solver->lump.cell ? has_lump : has_crowd);
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
static void apply_all(struct solver *solver, const struct constraint *constraint, const struct bits *cells)
{
	uint32_t cell;
	/* To these it is enough that there is any. */
	if ((constraint->kind == CONSTRAINT_ENTRY && solver->moves.entries[constraint->b].is_live) ||
	    (constraint->kind == CONSTRAINT_SHARE && cell_target(&solver->cells, constraint->a)->is_shared))
		return;
	for (struct bits_at at = { .bits = cells }; bits_next(&at, &cell);) {
		apply(solver, constraint, cell);
		solver->nodes.work.step_count++;
	}
}

void node_add_constraint(struct solver *solver, uint32_t node, struct constraint constraint)
{
	node = node_find(&solver->nodes, node);
	struct node *row = &solver->nodes.rows[node];
	if (row->constraint_count == row->constraint_room) {
		row->constraint_room = row->constraint_room ? row->constraint_room * 2 : 2;
		row->constraints = mem_resize(row->constraints, row->constraint_room * sizeof *row->constraints);
	}
	row->constraints[row->constraint_count++] = constraint;
	solver->nodes.constraint_count++;
	struct bits seen = { 0 };
	bits_without(&row->points, &row->fresh, &seen);
	leave_out(solver, &row->points, &seen);
	apply_all(solver, &constraint, &seen);
	bits_release(&seen);
}

/* ---- rounds ---- */

static void visit(struct solver *solver, uint32_t node)
{
	struct bits fresh = solver->nodes.rows[node].fresh;
	solver->nodes.rows[node].fresh = (struct bits){ 0 };
	leave_out(solver, &solver->nodes.rows[node].points, &fresh);
	uint32_t edge_count = solver->nodes.rows[node].edges.count,
		 constraint_count = solver->nodes.rows[node].constraint_count;
	for (uint32_t i = 0; i < edge_count; i++) {
		uint32_t to = node_find(&solver->nodes, solver->nodes.rows[node].edges.items[i]);
		if (to != node)
			pass_on(solver, &fresh, to);
	}
	for (uint32_t i = 0; i < constraint_count; i++) {
		struct constraint constraint = solver->nodes.rows[node].constraints[i];
		apply_all(solver, &constraint, &fresh);
	}
	bits_release(&fresh);
}

/* The same while unifying: nodes are merged on the way, also this one with others. What the constraints of those have not seen
 * is fresh then; if this one goes, it leaves what its own constraints may not have seen. */
static void visit_unifying(struct solver *solver, uint32_t node)
{
	while (solver->nodes.rows[node].edges.count) {
		uint32_t to = node_find(&solver->nodes, solver->nodes.rows[node].edges.items[0]);
		if (to == node)
			set_remove_first(&solver->nodes.rows[node].edges);
		else
			node_merge(solver, node, to);
	}
	struct bits fresh = solver->nodes.rows[node].fresh;
	solver->nodes.rows[node].fresh = (struct bits){ 0 };
	leave_out(solver, &solver->nodes.rows[node].points, &fresh);
	for (uint32_t i = 0; i < solver->nodes.rows[node].constraint_count; i++) {
		struct constraint constraint = solver->nodes.rows[node].constraints[i];
		apply_all(solver, &constraint, &fresh);
	}
	uint32_t now = node_find(&solver->nodes, node);
	if (now != node && fresh.count) {
		bits_join(&solver->nodes.rows[now].fresh, &fresh, NULL);
		node_queue(solver, now);
	}
	bits_release(&fresh);
}

static void start_round(struct solver *solver)
{
	uint32_t count = solver->nodes.work.next_count;
	solver->nodes.work.now_order = 0;
	solver->nodes.work.next_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = solver->nodes.work.next[i];
		solver->nodes.rows[node].queued = 0;
		if (solver->nodes.rows[node].parent != node)
			continue;
		solver->nodes.rows[node].queued = 1;
		heap_push(solver, node);
	}
}

/* Ends the round before its time: what is left is for the next one. */
static void end_round(struct solver *solver)
{
	solver->nodes.work.now_order = UINT32_MAX;
	while (solver->nodes.work.queue_count) {
		uint32_t node = solver->nodes.work.queue[--solver->nodes.work.queue_count];
		solver->nodes.rows[node].queued = 0;
		if (solver->nodes.rows[node].parent == node)
			node_queue(solver, node);
	}
}

static bool has_many_new_edges(const struct solver *solver)
{
	return solver->nodes.edge_count > solver->nodes.edges_at_pass + solver->nodes.edges_at_pass / 8 + 2000;
}

/* How far it is cannot be known; each step that was made takes away a part of what is left. */
static void say_progress(const struct solver *solver)
{
	uint64_t steps = solver->nodes.work.step_count;
	if (solver->options.progress)
		solver->options.progress(solver->options.progress_context,
					 (unsigned)(steps * 1000 / (steps + HALF_STEPS)));
}

void solver_propagate(struct solver *solver)
{
	uint64_t budget = solver->options.budget;
	generate_reached(solver);
	node_collapse_cycles(solver);
	while (solver->nodes.work.next_count) {
		say_progress(solver);
		start_round(solver);
		while (solver->nodes.work.queue_count && (solver->nodes.is_unifying || !has_many_new_edges(solver))) {
			uint32_t node = heap_pop(solver);
			solver->nodes.rows[node].queued = 0;
			if (solver->nodes.rows[node].parent != node)
				continue;
			solver->nodes.work.now_order = solver->nodes.rows[node].order;
			if (solver->nodes.is_unifying)
				visit_unifying(solver, node);
			else
				visit(solver, node);
			generate_reached(solver);
			if (budget && solver->nodes.work.step_count > budget)
				solver->nodes.is_unifying = true;
		}
		end_round(solver);
		if (solver->nodes.is_unifying)
			continue;
		lump_join_large(solver);
		node_collapse_cycles(solver);
	}
}
