/*
 * lump.c: an approximation for when solving takes long. In large programs there are objects that thousands of pointers
 * may lead to, all of them with much the same set: whatever is stored through one of them may be loaded through any
 * other, and to pass such sets on is most of the work. Objects that are in very large sets become members of the
 * *lump*. They share their contents, as by unification (Steensgaard 1996), and in large sets one cell stands for all of
 * them. Sets that are small stay as they are: a pointer that leads to three members leads to three members, each with
 * its offsets. So the only loss is what large sets could say, and that is little: the handles of threads, their
 * routines, and locks that are named keep their precision.
 *
 * Functions become members of the *crowd* instead. What calls any of the crowd passes its arguments to one place for each
 * number of arguments, from where all of them get theirs.
 *
 * The outside is never a member. Constants give what is in them to the lump and get nothing.
 */
#include "analysis/points/lump.h"

#include <stdlib.h>

#include "analysis/points/solver.h"
#include "base/mem.h"

/* After FIRST_STEPS steps, sets of LARGE_CELLS cells count as very large; each time as many steps go by again, the
 * limit halves. */
enum { FIRST_STEPS = 4000000, LARGE_CELLS = 256, LEAST_CELLS = 8, LARGE_CROWD = 64 };

/* Calls with more arguments are treated as having MAX_ARGUMENTS; they pass the excess ones to the last. */
enum { MAX_ARGUMENTS = 15 };

struct crowd_level {
	bool is_used;
	uint32_t arguments[MAX_ARGUMENTS + 1], result; /* nodes */
};

static bool can_join(const struct solver *solver, uint32_t object, bool is_code)
{
	uint8_t kind = solver->whole->object[object].kind;
	return (kind == WHOLE_CODE) == is_code && kind != WHOLE_OUTSIDE && object != solver->lump.object &&
	       object != solver->crowd.object;
}

/* How many cells of the set could be replaced by the lump's, or the crowd's. */
static void weigh(const struct solver *solver, const struct bits *set, uint32_t *cells, uint32_t *functions)
{
	uint32_t cell;
	*cells = *functions = 0;
	for (struct bits_at at = { .bits = set }; bits_next(&at, &cell);) {
		*cells += can_join(solver, solver->cells.rows[cell].object, false);
		*functions += can_join(solver, solver->cells.rows[cell].object, true);
	}
}

/* ---- the crowd ---- */

void crowd_init(struct crowd *crowd)
{
	*crowd = (struct crowd){ .object = NONE, .cell = NONE };
}

void crowd_release(struct crowd *crowd)
{
	set_release(&crowd->functions);
	set_release(&crowd->calls);
	set_release(&crowd->callbacks);
	free(crowd->levels);
}

/* Whether calls of the function are resolved one by one: what it does depends on the call. */
static bool is_special(const struct whole *whole, const struct wrapper_table *wrappers, uint32_t function)
{
	return !whole->function[function].is_defined || wrappers->rows[function].is_wrapper;
}

static bool fits(struct function_table *functions, const struct whole *whole, uint32_t level, uint32_t function)
{
	return level == MAX_ARGUMENTS || function_used(functions, whole, function) <= level;
}

static void link_function(struct solver *solver, uint32_t level, uint32_t function)
{
	const struct crowd_level row = solver->crowd.levels[level];
	const struct whole_function callee = solver->whole->function[function];
	if (!row.is_used || is_special(solver->whole, &solver->wrappers, function) ||
	    !fits(&solver->functions, solver->whole, level, function))
		return;
	reach_function(&solver->reach, solver->whole, function);
	for (uint32_t i = 0; i < level || (i == level && level == MAX_ARGUMENTS); i++)
		if (i < callee.parameter_count || callee.is_variadic)
			node_link(&solver->nodes, row.arguments[i], function_argument_node(solver, function, i));
	/* What is after the last is passed with it. */
	for (uint32_t i = MAX_ARGUMENTS + 1; level == MAX_ARGUMENTS && i < callee.parameter_count; i++)
		node_link(&solver->nodes, row.arguments[MAX_ARGUMENTS], function_argument_node(solver, function, i));
	node_link(&solver->nodes, function_return_node(&solver->functions, &solver->nodes, function), row.result);
}

static struct crowd_level *level_of(struct solver *solver, uint32_t level)
{
	struct crowd_level *row = &solver->crowd.levels[level];
	if (row->is_used)
		return row;
	row->is_used = true;
	for (uint32_t i = 0; i <= MAX_ARGUMENTS; i++)
		row->arguments[i] = node_new(&solver->nodes);
	row->result = node_new(&solver->nodes);
	for (uint32_t i = 0; i < solver->crowd.functions.count; i++)
		link_function(solver, level, solver->crowd.functions.items[i]);
	return row;
}

void crowd_add_call(struct solver *solver, uint32_t call)
{
	if (!set_add(&solver->crowd.calls, call))
		return;
	uint32_t count = call_argument_count(solver->whole, &solver->calls.rows[call]);
	const struct crowd_level level = *level_of(solver, count < MAX_ARGUMENTS ? count : MAX_ARGUMENTS);
	for (uint32_t i = 0; i < count; i++)
		node_link(&solver->nodes, call_argument_node(solver, &solver->calls.rows[call], i),
			  level.arguments[i < MAX_ARGUMENTS ? i : MAX_ARGUMENTS]);
	node_link(&solver->nodes, level.result, solver->calls.rows[call].result);
	wrapper_fail(solver, call);
	for (uint32_t i = 0; i < solver->crowd.functions.count; i++) {
		uint32_t function = solver->crowd.functions.items[i];
		if (is_special(solver->whole, &solver->wrappers, function))
			call_resolve_pointer(solver, call, function);
	}
}

void crowd_add_callback(struct solver *solver, uint32_t callback)
{
	if (!set_add(&solver->crowd.callbacks, callback))
		return;
	for (uint32_t i = 0; i < solver->crowd.functions.count; i++)
		callback_resolve(solver, callback, solver->crowd.functions.items[i]);
}

void crowd_expose(struct solver *solver)
{
	solver->crowd.is_outside = true;
	for (uint32_t i = 0; i < solver->crowd.functions.count; i++)
		function_expose(solver, solver->crowd.functions.items[i]);
}

static void join_crowd(struct solver *solver, uint32_t object)
{
	uint32_t function = solver->whole->object[object].function;
	if (!set_add(&solver->crowd.functions, function))
		return;
	cell_target(&solver->cells, object)->is_lumped = true;
	for (uint32_t i = 0; i <= MAX_ARGUMENTS; i++)
		link_function(solver, i, function);
	bool is_alone = is_special(solver->whole, &solver->wrappers, function);
	for (uint32_t i = 0; is_alone && i < solver->crowd.calls.count; i++)
		call_resolve_pointer(solver, solver->crowd.calls.items[i], function);
	for (uint32_t i = 0; i < solver->crowd.callbacks.count; i++)
		callback_resolve(solver, solver->crowd.callbacks.items[i], function);
	if (solver->crowd.is_outside)
		function_expose(solver, function);
}

/* ---- the lump ---- */

void lump_init(struct lump *lump)
{
	*lump = (struct lump){ .object = NONE, .cell = NONE };
}

static void make_lump(struct solver *solver)
{
	if (solver->lump.object != NONE)
		return;
	solver->lump.object = whole_add_object(solver->whole, WHOLE_GLOBAL);
	solver->crowd.object = whole_add_object(solver->whole, WHOLE_CODE);
	solver->whole->object[solver->lump.object].name = whole_string(solver->whole, "any of many objects");
	solver->whole->object[solver->crowd.object].name = whole_string(solver->whole, "any of many functions");
	solver->whole->object[solver->crowd.object].is_constant = true;
	solver->lump.cell = cell_anywhere(solver, solver->lump.object);
	solver->crowd.cell = cell_anywhere(solver, solver->crowd.object);
	solver->crowd.levels = mem_alloc((MAX_ARGUMENTS + 1) * sizeof *solver->crowd.levels);
	cell_share(&solver->cells, &solver->nodes, solver->lump.object);
	cell_target(&solver->cells, solver->lump.object)->is_lumped =
		cell_target(&solver->cells, solver->crowd.object)->is_lumped = true;
}

static void join(struct solver *solver, uint32_t object)
{
	if (cell_target(&solver->cells, object)->is_lumped)
		return;
	bool is_constant = solver->whole->object[object].is_constant && !solver->whole->object[object].is_undefined;
	uint32_t anywhere = cell_anywhere(solver, object);
	cell_target(&solver->cells, object)->is_lumped = true;
	if (is_constant) {
		node_add_edge(&solver->nodes, solver->cells.rows[anywhere].out,
			      solver->cells.rows[solver->lump.cell].out);
		return;
	}
	cell_share(&solver->cells, &solver->nodes, object);
	for (uint32_t i = cell_target(&solver->cells, object)->first_cell; i != NONE; i = solver->cells.rows[i].next) {
		struct cell cell = solver->cells.rows[i];
		uint32_t all = node_find(&solver->nodes, solver->cells.rows[solver->lump.cell].out);
		if (cell.out != NONE)
			node_merge(&solver->nodes, all, node_find(&solver->nodes, cell.out));
		if (cell.in != NONE)
			node_merge(&solver->nodes, all, node_find(&solver->nodes, cell.in));
	}
}

/* Whether the lump or the crowd says what the cell does. */
static bool is_replaced(const struct whole *whole, const struct cell_table *cells, uint32_t cell, bool has_lump,
			bool has_crowd)
{
	uint32_t object = cells->rows[cell].object;
	return cells->targets[object].is_lumped && (whole->object[object].kind == WHOLE_CODE ? has_crowd : has_lump);
}

/* Replaces members in a set by the lump, or by the crowd. */
static void replace(struct solver *solver, uint32_t index, bool has_lump, bool has_crowd)
{
	const struct node *node = &solver->nodes.rows[index];
	struct bits all = { 0 }, fresh = { 0 };
	const uint32_t lumps[] = { has_lump ? solver->lump.cell : NONE, has_crowd ? solver->crowd.cell : NONE };
	uint32_t cell;
	for (struct bits_at at = { .bits = &node->points }; bits_next(&at, &cell);)
		if (!is_replaced(solver->whole, &solver->cells, cell, has_lump, has_crowd))
			bits_push(&all, cell);
	for (struct bits_at at = { .bits = &node->fresh }; bits_next(&at, &cell);)
		if (!is_replaced(solver->whole, &solver->cells, cell, has_lump, has_crowd))
			bits_push(&fresh, cell);
	for (unsigned i = 0; i < 2; i++) {
		if (lumps[i] == NONE)
			continue;
		bits_add(&all, lumps[i]);
		if (!bits_has(&node->points, lumps[i]) || bits_has(&node->fresh, lumps[i]))
			bits_add(&fresh, lumps[i]);
	}
	node_replace(&solver->nodes, index, all, fresh);
}

enum { LARGE = 1, CROWDED = 2 };

/* All objects in the set become members, of what it is too large for. */
static void join_all(struct solver *solver, uint32_t node, uint8_t large)
{
	struct bits set = { 0 };
	uint32_t cell;
	/* Members are merged on the way, perhaps this node, too. */
	bits_join(&set, &solver->nodes.rows[node_find(&solver->nodes, node)].points, NULL);
	for (struct bits_at at = { .bits = &set }; bits_next(&at, &cell);) {
		uint32_t object = solver->cells.rows[cell].object;
		if ((large & LARGE) && can_join(solver, object, false))
			join(solver, object);
		if ((large & CROWDED) && can_join(solver, object, true))
			join_crowd(solver, object);
	}
	bits_release(&set);
}

/* How many cells are too many by now; 0: any number is fine. */
static uint32_t max_cells(const struct points_options *options, uint64_t steps)
{
	uint64_t rounds = steps / (options->lump_steps ? options->lump_steps : FIRST_STEPS);
	if (!rounds || options->lump_cells)
		return rounds ? options->lump_cells : 0;
	uint32_t limit = rounds < 32 ? LARGE_CELLS >> (rounds - 1) : 0;
	return limit < LEAST_CELLS ? LEAST_CELLS : limit;
}

void lump_join_large(struct solver *solver)
{
	uint32_t limit = max_cells(&solver->options, solver->nodes.work.step_count);
	uint32_t max_functions = solver->options.lump_cells ? solver->options.lump_cells : LARGE_CROWD;
	uint32_t least = limit < max_functions ? limit : max_functions;
	if (!limit)
		return;
	make_lump(solver);
	/* Nodes that are added from here on are small. */
	uint32_t count = solver->nodes.count;
	uint8_t *large = mem_alloc(count + 1);
	for (uint32_t i = NODE_EMPTY + 1; i < count; i++) {
		uint32_t cells = 0, functions = 0;
		if (solver->nodes.rows[i].parent == i && bits_size(&solver->nodes.rows[i].points) >= least)
			weigh(solver, &solver->nodes.rows[i].points, &cells, &functions);
		large[i] = (cells >= limit ? LARGE : 0) | (functions >= max_functions ? CROWDED : 0);
	}
	for (uint32_t i = NODE_EMPTY + 1; i < count; i++) {
		uint8_t how = large[i];
		if (!how)
			continue;
		join_all(solver, i, how);
		large[node_find(&solver->nodes, i)] |= how;
	}
	for (uint32_t i = NODE_EMPTY + 1; i < count; i++) {
		if (solver->nodes.rows[i].parent != i)
			continue;
		bool has_lump = (large[i] & LARGE) || bits_has(&solver->nodes.rows[i].points, solver->lump.cell),
		     has_crowd = (large[i] & CROWDED) || bits_has(&solver->nodes.rows[i].points, solver->crowd.cell);
		if (has_lump || has_crowd)
			replace(solver, i, has_lump, has_crowd);
	}
	free(large);
}
