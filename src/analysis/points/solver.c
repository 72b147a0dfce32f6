/*
 * solver.c: propagation. A node that got new cells passes them on along its edges and shows them to its
 * constraints, only the new ones (Pearce, Kelly, Hankin, "Online cycle detection and difference propagation for pointer analysis",
 * SCAM 2003). Nodes are taken in the order of the edges, in rounds; between rounds cycles are collapsed (analysis/points/cycle.c), as in wave
 * propagation (Pereira, Berlin, CGO 2009), but constraints are applied at once.
 *
 * When the budget is over, edges merge their ends instead of passing anything on, and pointers lose their offsets: that is
 * unification (Steensgaard 1996) of all that is not at rest, and ends soon.
 */
#include "analysis/points/solver.h"
#include "base/err.h"

enum { POINTER_BYTES = 8, MAX_SLOTS = 64, HALF_STEPS = 20000000 };

void node_add_cell(struct solver *solver, uint32_t node, uint32_t cell)
{
	if (cell == NONE)
		return;
	if (cell >= solver->cells.count)
		BUG("points-to: cell %u of %u", cell, solver->cells.count);
	node_give(&solver->nodes, node, cell_find(&solver->cells, cell));
}

/* ---- constraints ---- */

static void load(struct solver *solver, uint32_t cell, uint32_t to, int64_t size_bytes, bool is_store)
{
	int64_t slots = size_bytes / POINTER_BYTES;
	if (solver->cells.rows[cell].offset == CELL_ANYWHERE || !solver->cells.rows[cell].object)
		slots = 1;
	if (slots > MAX_SLOTS) {
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
				node_add_edge(&solver->nodes, to, row->in);
			else if (!is_store && row->out != NONE)
				node_add_edge(&solver->nodes, row->out, to);
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
		node_add_edge(&solver->nodes, node, row.in);
	else if (!is_in && row.out != NONE)
		node_add_edge(&solver->nodes, row.out, node);
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
		else if (object->kind == WHOLE_CODE)
			call_resolve_pointer(solver, constraint->a, object->function);
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
		cell_share(&solver->cells, &solver->nodes, constraint->a);
		break;
	case CONSTRAINT_OUTSIDE:
		outside_see_cell(solver, cell);
		break;
	}
}

/* Cells of an object whose anywhere is in the set, too, or whose lump is, add nothing to it: whatever is done with them is done
 * with that. */
static void leave_out(const struct solver *solver, const struct bits *all, struct bits *fresh)
{
	struct bits kept = { 0 };
	uint32_t cell;
	bool has_lump = solver->lump.cell != NONE && bits_has(all, solver->lump.cell),
	     has_crowd = solver->crowd.cell != NONE && bits_has(all, solver->crowd.cell);
	for (struct bits_at at = { .bits = fresh }; bits_next(&at, &cell);) {
		const struct target *target = &solver->cells.targets[solver->cells.rows[cell].object];
		bool is_implied = false;
		if ((has_lump || has_crowd) && target->is_lumped) {
			bool is_code = solver->whole->object[solver->cells.rows[cell].object].kind == WHOLE_CODE;
			is_implied = cell != (is_code ? solver->crowd.cell : solver->lump.cell) &&
				     (is_code ? has_crowd : has_lump);
		}
		if (!is_implied && target->anywhere != NONE && target->anywhere != cell)
			is_implied = bits_has(all, target->anywhere);
		if (!is_implied)
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
	node_keep_constraint(&solver->nodes, node, constraint);
	const struct node *row = &solver->nodes.rows[node];
	struct bits seen = { 0 };
	bits_without(&row->points, &row->fresh, &seen);
	leave_out(solver, &row->points, &seen);
	apply_all(solver, &constraint, &seen);
	bits_release(&seen);
}

/* ---- rounds ---- */

static void visit(struct solver *solver, uint32_t node)
{
	struct node_table *nodes = &solver->nodes;
	struct bits fresh = node_take_fresh(nodes, node);
	leave_out(solver, &nodes->rows[node].points, &fresh);
	uint32_t edge_count = nodes->rows[node].edges.count, constraint_count = nodes->rows[node].constraint_count;
	for (uint32_t i = 0; i < edge_count; i++) {
		uint32_t to = node_find(nodes, nodes->rows[node].edges.items[i]);
		if (to != node)
			node_pass_on(nodes, &fresh, to);
	}
	for (uint32_t i = 0; i < constraint_count; i++) {
		struct constraint constraint = nodes->rows[node].constraints[i];
		apply_all(solver, &constraint, &fresh);
	}
	bits_release(&fresh);
}

/* The same while unifying: nodes are merged on the way, also this one with others. What the constraints of those have not seen
 * is fresh then; if this one goes, it leaves what its own constraints may not have seen. */
static void visit_unifying(struct solver *solver, uint32_t node)
{
	struct node_table *nodes = &solver->nodes;
	node_merge_edges(nodes, node);
	struct bits fresh = node_take_fresh(nodes, node);
	leave_out(solver, &nodes->rows[node].points, &fresh);
	for (uint32_t i = 0; i < nodes->rows[node].constraint_count; i++) {
		struct constraint constraint = nodes->rows[node].constraints[i];
		apply_all(solver, &constraint, &fresh);
	}
	uint32_t now = node_find(nodes, node);
	if (now != node && fresh.count)
		node_add_fresh(nodes, now, &fresh);
	bits_release(&fresh);
}

/* How far it is cannot be known; each step that was made takes away a part of what is left. */
static void report_progress(const struct points_options *options, uint64_t steps)
{
	if (options->progress)
		options->progress(options->progress_context, (unsigned)(steps * 1000 / (steps + HALF_STEPS)));
}

/* Checks that no node has cells left that have not been propagated. */
static void check_rest(const struct solver *solver)
{
	const struct node_table *nodes = &solver->nodes;
	if (nodes->work.queue_count || nodes->work.next_count)
		BUG("points-to: %u nodes wait at the end", nodes->work.queue_count + nodes->work.next_count);
	for (uint32_t i = 0; i < nodes->count; i++) {
		const struct node *node = &nodes->rows[i];
		if (node->parent >= nodes->count)
			BUG("points-to: node %u was merged with none", i);
		if (node->parent == i && (node->fresh.count || node->queued))
			BUG("points-to: node %u has %u cells that nobody has seen", i, (unsigned)node->fresh.count);
	}
	for (uint32_t i = 0; i < solver->cells.count; i++)
		if (solver->cells.rows[i].parent >= solver->cells.count)
			BUG("points-to: cell %u became none", i);
}

void solver_propagate(struct solver *solver)
{
	struct node_table *nodes = &solver->nodes;
	uint64_t budget = solver->options.budget;
	generate_reached(solver);
	node_collapse_cycles(nodes);
	while (work_start(nodes)) {
		report_progress(&solver->options, nodes->work.step_count);
		while (nodes->is_unifying || !work_has_new_edges(nodes)) {
			uint32_t node = work_next(nodes);
			if (node == NONE)
				break;
			if (nodes->is_unifying)
				visit_unifying(solver, node);
			else
				visit(solver, node);
			generate_reached(solver);
			if (budget && nodes->work.step_count > budget)
				nodes->is_unifying = true;
		}
		work_stop(nodes);
		if (nodes->is_unifying)
			continue;
		lump_join_large(solver);
		node_collapse_cycles(nodes);
	}
	check_rest(solver);
}
