/*
 * lump.c: what is done when solving takes long. In large programs there are objects that thousands of pointers may lead to, all
 * of them with much the same set: whatever is stored through one of them may be loaded through any other, and to pass such sets
 * on is most of the work. Objects that are in very large sets become members of the *lump*. They share their contents, as by unification
 * (Steensgaard 1996), and in large sets one cell stands for all of them. Sets that are small stay as they are: a pointer that leads to
 * three members leads to three members, each with its offsets. So what is given up is what large sets could say, and
 * that is little: the handles of threads, their routines, and locks that are named keep their precision.
 *
 * Functions become members of the *crowd* instead. What calls any of the crowd passes its arguments to one place for each
 * number of arguments, from where all of them get theirs.
 *
 * The outside is never a member. Constants give what is in them to the lump and get nothing.
 */
#include <stdlib.h>

#include "analysis/points/points_priv.h"
#include "base/mem.h"

/* From so many steps on, sets of so many cells are very large; half as many for each time that as many steps go by. */
enum { FIRST_STEPS = 4000000, LARGE_CELLS = 256, LEAST_CELLS = 8, LARGE_CROWD = 64 };

/* Calls with more arguments are taken as if they had so many; so they pass what is behind to the last. */
enum { MOST_ARGUMENTS = 15 };

struct crowd_level {
	bool is_used;
	uint32_t arguments[MOST_ARGUMENTS + 1], result; /* nodes */
};

static bool can_join(struct points *points, uint32_t object, bool is_code)
{
	uint8_t kind = points->whole->object[object].kind;
	return (kind == WHOLE_CODE) == is_code && kind != WHOLE_OUTSIDE && object != points->lump.object &&
	       object != points->crowd.object;
}

/* How many cells of the set could be replaced by the lump's, or the crowd's. */
static void weigh(struct points *points, const struct bits *set, uint32_t *cells, uint32_t *functions)
{
	uint32_t cell;
	*cells = *functions = 0;
	for (struct bits_at at = { .bits = set }; bits_next(&at, &cell);) {
		*cells += can_join(points, points->cells.rows[cell].object, false);
		*functions += can_join(points, points->cells.rows[cell].object, true);
	}
}

/* ---- the crowd ---- */

static void link(struct points *points, uint32_t from, uint32_t to)
{
	if (from != NODE_EMPTY && from != NONE && to != NODE_EMPTY && to != NONE)
		node_add_edge(points, from, to);
}

/* Whether calls of the function are resolved one by one: what it does depends on the call. */
static bool is_special(struct points *points, uint32_t function)
{
	return !points->whole->function[function].is_defined || points->wrappers.rows[function].is_wrapper;
}

static bool fits(struct points *points, uint32_t level, uint32_t function)
{
	return level == MOST_ARGUMENTS || function_used(points, function) <= level;
}

static void link_function(struct points *points, uint32_t level, uint32_t function)
{
	const struct crowd_level row = points->crowd.levels[level];
	const struct whole_function callee = points->whole->function[function];
	if (!row.is_used || is_special(points, function) || !fits(points, level, function))
		return;
	points_reach(points, function);
	for (uint32_t i = 0; i < level || (i == level && level == MOST_ARGUMENTS); i++)
		if (i < callee.parameter_count || callee.is_variadic)
			link(points, row.arguments[i], function_argument_node(points, function, i));
	/* What is behind the last is passed with it. */
	for (uint32_t i = MOST_ARGUMENTS + 1; level == MOST_ARGUMENTS && i < callee.parameter_count; i++)
		link(points, row.arguments[MOST_ARGUMENTS], function_argument_node(points, function, i));
	link(points, function_return_node(points, function), row.result);
}

static struct crowd_level *level_of(struct points *points, uint32_t level)
{
	struct crowd_level *row = &points->crowd.levels[level];
	if (row->is_used)
		return row;
	row->is_used = true;
	for (uint32_t i = 0; i <= MOST_ARGUMENTS; i++)
		row->arguments[i] = node_new(points);
	row->result = node_new(points);
	for (uint32_t i = 0; i < points->crowd.functions.count; i++)
		link_function(points, level, points->crowd.functions.items[i]);
	return row;
}

static uint32_t call_level(struct points *points, uint32_t call)
{
	uint32_t count = points->whole->instruction[points->calls.rows[call].instruction].operand_count - 1;
	return count < MOST_ARGUMENTS ? count : MOST_ARGUMENTS;
}

void crowd_add_call(struct points *points, uint32_t call)
{
	if (!set_add(&points->crowd.calls, call))
		return;
	uint32_t count = points->whole->instruction[points->calls.rows[call].instruction].operand_count - 1;
	const struct crowd_level level = *level_of(points, call_level(points, call));
	for (uint32_t i = 0; i < count; i++)
		link(points, call_argument_node(points, &points->calls.rows[call], i),
		     level.arguments[i < MOST_ARGUMENTS ? i : MOST_ARGUMENTS]);
	link(points, level.result, points->calls.rows[call].result);
	wrapper_fail(points, call);
	for (uint32_t i = 0; i < points->crowd.functions.count; i++) {
		uint32_t function = points->crowd.functions.items[i];
		if (is_special(points, function) && call_fits(points, call, function))
			call_resolve(points, call, function);
	}
}

void crowd_add_callback(struct points *points, uint32_t callback)
{
	if (!set_add(&points->crowd.callbacks, callback))
		return;
	for (uint32_t i = 0; i < points->crowd.functions.count; i++)
		callback_resolve(points, callback, points->crowd.functions.items[i]);
}

void crowd_expose(struct points *points)
{
	points->crowd.is_outside = true;
	for (uint32_t i = 0; i < points->crowd.functions.count; i++)
		function_expose(points, points->crowd.functions.items[i]);
}

static void join_crowd(struct points *points, uint32_t object)
{
	uint32_t function = points->whole->object[object].function;
	if (!set_add(&points->crowd.functions, function))
		return;
	cell_target(points, object)->is_lumped = true;
	for (uint32_t i = 0; i <= MOST_ARGUMENTS; i++)
		link_function(points, i, function);
	for (uint32_t i = 0; i < points->crowd.calls.count; i++)
		if (is_special(points, function) && call_fits(points, points->crowd.calls.items[i], function))
			call_resolve(points, points->crowd.calls.items[i], function);
	for (uint32_t i = 0; i < points->crowd.callbacks.count; i++)
		callback_resolve(points, points->crowd.callbacks.items[i], function);
	if (points->crowd.is_outside)
		function_expose(points, function);
}

void crowd_finish(struct points *points)
{
	for (uint32_t i = 0; i < points->crowd.calls.count; i++) {
		uint32_t call = points->crowd.calls.items[i];
		for (uint32_t k = 0; k < points->crowd.functions.count; k++)
			if (call_fits(points, call, points->crowd.functions.items[k]))
				set_add(&points->calls.rows[call].callees, points->crowd.functions.items[k]);
	}
}

/* ---- the lump ---- */

static void make_lump(struct points *points)
{
	if (points->lump.object != NONE)
		return;
	points->lump.object = whole_add_object(points->whole, WHOLE_GLOBAL);
	points->crowd.object = whole_add_object(points->whole, WHOLE_CODE);
	points->whole->object[points->lump.object].name = whole_string(points->whole, "any of many objects");
	points->whole->object[points->crowd.object].name = whole_string(points->whole, "any of many functions");
	points->whole->object[points->crowd.object].is_constant = true;
	points->lump.cell = cell_anywhere(points, points->lump.object);
	points->crowd.cell = cell_anywhere(points, points->crowd.object);
	points->crowd.levels = mem_alloc((MOST_ARGUMENTS + 1) * sizeof *points->crowd.levels);
	cell_share(points, points->lump.object);
	cell_target(points, points->lump.object)->is_lumped = cell_target(points, points->crowd.object)->is_lumped =
		true;
}

static void join(struct points *points, uint32_t object)
{
	if (cell_target(points, object)->is_lumped)
		return;
	bool is_constant = points->whole->object[object].is_constant && !points->whole->object[object].is_undefined;
	uint32_t anywhere = cell_anywhere(points, object);
	cell_target(points, object)->is_lumped = true;
	if (is_constant) {
		node_add_edge(points, points->cells.rows[anywhere].out, points->cells.rows[points->lump.cell].out);
		return;
	}
	cell_share(points, object);
	for (uint32_t i = cell_target(points, object)->first_cell; i != NONE; i = points->cells.rows[i].next) {
		struct cell cell = points->cells.rows[i];
		uint32_t all = node_find(points, points->cells.rows[points->lump.cell].out);
		if (cell.out != NONE)
			node_merge(points, all, node_find(points, cell.out));
		if (cell.in != NONE)
			node_merge(points, all, node_find(points, cell.in));
	}
}

/* Whether the lump or the crowd says what the cell does. */
static bool is_replaced(struct points *points, uint32_t cell, bool has_lump, bool has_crowd)
{
	uint32_t object = points->cells.rows[cell].object;
	return cell_target(points, object)->is_lumped &&
	       (points->whole->object[object].kind == WHOLE_CODE ? has_crowd : has_lump);
}

/* Replaces members in a set by the lump, or by the crowd. */
static void replace(struct points *points, uint32_t index, bool has_lump, bool has_crowd)
{
	struct node *node = &points->graph.nodes[index];
	struct bits all = { 0 }, fresh = { 0 };
	const uint32_t lumps[] = { has_lump ? points->lump.cell : NONE, has_crowd ? points->crowd.cell : NONE };
	uint32_t cell;
	for (struct bits_at at = { .bits = &node->points }; bits_next(&at, &cell);)
		if (!is_replaced(points, cell, has_lump, has_crowd))
			bits_push(&all, cell);
	for (struct bits_at at = { .bits = &node->fresh }; bits_next(&at, &cell);)
		if (!is_replaced(points, cell, has_lump, has_crowd))
			bits_push(&fresh, cell);
	for (unsigned i = 0; i < 2; i++) {
		if (lumps[i] == NONE)
			continue;
		bits_add(&all, lumps[i]);
		if (!bits_has(&node->points, lumps[i]) || bits_has(&node->fresh, lumps[i]))
			bits_add(&fresh, lumps[i]);
	}
	bits_release(&node->points);
	bits_release(&node->fresh);
	node->points = all;
	node->fresh = fresh;
	if (node->fresh.count)
		node_queue(points, index);
}

enum { LARGE = 1, CROWDED = 2 };

/* All objects in the set become members, of what it is too large for. */
static void join_all(struct points *points, uint32_t node, uint8_t large)
{
	struct bits set = { 0 };
	uint32_t cell;
	/* Members are merged on the way, perhaps this node, too. */
	bits_join(&set, &points->graph.nodes[node_find(points, node)].points, NULL);
	for (struct bits_at at = { .bits = &set }; bits_next(&at, &cell);) {
		uint32_t object = points->cells.rows[cell].object;
		if ((large & LARGE) && can_join(points, object, false))
			join(points, object);
		if ((large & CROWDED) && can_join(points, object, true))
			join_crowd(points, object);
	}
	bits_release(&set);
}

/* How many cells are too many by now; 0: any number is fine. */
static uint32_t most_cells(const struct points *points)
{
	const struct points_options *options = &points->options;
	uint64_t rounds = points->graph.work.step_count / (options->lump_steps ? options->lump_steps : FIRST_STEPS);
	if (!rounds || options->lump_cells)
		return rounds ? options->lump_cells : 0;
	uint32_t most = rounds < 32 ? LARGE_CELLS >> (rounds - 1) : 0;
	return most < LEAST_CELLS ? LEAST_CELLS : most;
}

void points_lump(struct points *points)
{
	uint32_t most = most_cells(points);
	uint32_t most_functions = points->options.lump_cells ? points->options.lump_cells : LARGE_CROWD;
	uint32_t least = most < most_functions ? most : most_functions;
	if (!most)
		return;
	make_lump(points);
	/* Nodes that are added from here on are small. */
	uint32_t count = points->graph.node_count;
	uint8_t *large = mem_alloc(count + 1);
	for (uint32_t i = NODE_EMPTY + 1; i < count; i++) {
		uint32_t cells = 0, functions = 0;
		if (points->graph.nodes[i].parent == i && bits_size(&points->graph.nodes[i].points) >= least)
			weigh(points, &points->graph.nodes[i].points, &cells, &functions);
		large[i] = (cells >= most ? LARGE : 0) | (functions >= most_functions ? CROWDED : 0);
	}
	for (uint32_t i = NODE_EMPTY + 1; i < count; i++) {
		uint8_t how = large[i];
		if (!how)
			continue;
		join_all(points, i, how);
		large[node_find(points, i)] |= how;
	}
	for (uint32_t i = NODE_EMPTY + 1; i < count; i++) {
		if (points->graph.nodes[i].parent != i)
			continue;
		bool has_lump = (large[i] & LARGE) || bits_has(&points->graph.nodes[i].points, points->lump.cell),
		     has_crowd = (large[i] & CROWDED) || bits_has(&points->graph.nodes[i].points, points->crowd.cell);
		if (has_lump || has_crowd)
			replace(points, i, has_lump, has_crowd);
	}
	free(large);
}
