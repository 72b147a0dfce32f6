/*
 * result.c: struct points, which others read when all is solved: locations in order, the set of each value and location,
 * which functions each call calls. It is made from the solver's state and does not refer to it afterwards.
 */
#include "analysis/points/result.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/points/solver.h"
#include "base/mem.h"

struct result_call {
	struct points_set callees, callbacks, routines;
	uint32_t made;
	bool is_unknown;
};

struct points {
	const struct whole *whole;
	struct points_statistics statistics;
	struct points_location *locations;
	uint32_t location_count;
	struct points_set *sets; /* all different; the first is empty */
	uint32_t set_count, set_room;
	uint32_t *value_set; /* by value */
	uint32_t value_count;
	uint32_t *location_set; /* by location */
	struct result_call *calls;
	uint32_t call_count;
	uint32_t *call_of_instruction; /* or NONE */
	uint32_t instruction_count;
	struct points_set exposed;
	uint32_t *functions; /* 0, 1, 2, ...: sets of one function */
};

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

/* ---- locations ---- */

/* What cells are in the result; needed while it is made. */
struct numbering {
	uint32_t *cell_of;     /* by location */
	uint32_t *location_of; /* by cell; NONE: outside of its object */
	/* Locations that the lump and the crowd stand for, ascending: anywhere in each member, or the function. */
	uint32_t *members, *crowd;
	uint32_t member_count, crowd_count;
	uint32_t lump_cell, crowd_cell;
};

struct sorted_cell {
	uint32_t object, cell;
	uint64_t offset;
};

static int compare_cells(const void *a, const void *b)
{
	const struct sorted_cell *left = a, *right = b;
	if (left->object != right->object)
		return left->object < right->object ? -1 : 1;
	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static void find_members(const struct whole *whole, struct cell_table *cells, const struct points *result,
			 struct numbering *numbering)
{
	uint32_t count = result->location_count;
	numbering->members = mem_alloc((count + 1) * sizeof *numbering->members);
	numbering->crowd = mem_alloc((count + 1) * sizeof *numbering->crowd);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t object = result->locations[i].object;
		if (!cell_target(cells, object)->is_lumped)
			continue;
		if (whole->object[object].kind == WHOLE_CODE)
			numbering->crowd[numbering->crowd_count++] = i;
		else if (result->locations[i].offset == POINTS_ANYWHERE)
			numbering->members[numbering->member_count++] = i;
	}
}

static void number_locations(const struct whole *whole, struct cell_table *cells, struct points *result,
			     struct numbering *numbering)
{
	struct sorted_cell *sorted = mem_alloc((cells->count + 1) * sizeof *sorted);
	uint32_t count = 0;
	for (uint32_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->rows[i];
		bool is_code = whole->object[cell->object].kind == WHOLE_CODE;
		if (cell->parent != i || (cell->out == NONE && !is_code) || i == numbering->lump_cell ||
		    i == numbering->crowd_cell)
			continue;
		uint64_t offset = cell->offset == CELL_ANYWHERE ? POINTS_ANYWHERE : (uint64_t)cell->offset;
		sorted[count++] = (struct sorted_cell){ cell->object, i, offset };
	}
	qsort(sorted, count, sizeof *sorted, compare_cells);
	result->location_count = count;
	result->locations = mem_alloc((count + 1) * sizeof *result->locations);
	numbering->cell_of = mem_alloc((count + 1) * sizeof *numbering->cell_of);
	numbering->location_of = table_of_none(cells->count);
	for (uint32_t i = 0; i < count; i++) {
		result->locations[i] = (struct points_location){ sorted[i].object, sorted[i].offset };
		numbering->cell_of[i] = sorted[i].cell;
		numbering->location_of[sorted[i].cell] = i;
	}
	for (uint32_t i = 0; i < cells->count; i++)
		numbering->location_of[i] = numbering->location_of[cell_find(cells, i)];
	free(sorted);
	find_members(whole, cells, result, numbering);
}

static void release_numbering(struct numbering *numbering)
{
	free(numbering->cell_of);
	free(numbering->location_of);
	free(numbering->members);
	free(numbering->crowd);
}

/* ---- sets ---- */

/* Adds members to ascending items, which have room. */
static uint32_t add_members(uint32_t *items, uint32_t count, const uint32_t *members, uint32_t member_count)
{
	uint32_t a = count, b = member_count, to = a + b;
	while (b)
		items[--to] = a && items[a - 1] > members[b - 1] ? items[--a] : members[--b];
	return count + member_count;
}

/* A set of cells in terms of locations, ascending; the caller's to free. */
static struct points_set locations_of(const struct points *result, const struct numbering *numbering,
				      const struct bits *cells)
{
	bool has_lump = numbering->lump_cell != NONE && bits_has(cells, numbering->lump_cell),
	     has_crowd = numbering->crowd_cell != NONE && bits_has(cells, numbering->crowd_cell);
	uint32_t room =
		bits_size(cells) + (has_lump ? numbering->member_count : 0) + (has_crowd ? numbering->crowd_count : 0);
	uint32_t *items = mem_alloc((room + 1) * sizeof *items), count = 0, kept = 0, cell;
	for (struct bits_at at = { .bits = cells }; bits_next(&at, &cell);)
		if (numbering->location_of[cell] != NONE)
			items[count++] = numbering->location_of[cell];
	qsort(items, count, sizeof *items, compare_numbers);
	if (has_lump)
		count = add_members(items, count, numbering->members, numbering->member_count);
	if (has_crowd)
		count = add_members(items, count, numbering->crowd, numbering->crowd_count);
	/* Of an object, anywhere is the last of its locations; with it the others say nothing. */
	for (uint32_t i = 0; i < count; i++) {
		const struct points_location *location = &result->locations[items[i]];
		if (kept && items[kept - 1] == items[i])
			continue;
		while (location->offset == POINTS_ANYWHERE && kept &&
		       result->locations[items[kept - 1]].object == location->object)
			kept--;
		items[kept++] = items[i];
	}
	return (struct points_set){ items, kept };
}

static uint64_t hash_set(const struct points_set *set)
{
	uint64_t hash = set->count;
	for (uint32_t i = 0; i < set->count; i++)
		hash = (hash ^ set->items[i]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
	return hash ^ hash >> 32;
}

/* The number of the set, whose items it takes. The slots are a table of the numbers of all sets but the first, or 0. */
static uint32_t add_set(struct points *result, uint32_t *slots, uint32_t mask, struct points_set set)
{
	uint32_t at = (uint32_t)hash_set(&set) & mask;
	for (; set.count && slots[at]; at = (at + 1) & mask) {
		const struct points_set *other = &result->sets[slots[at]];
		if (other->count == set.count && !memcmp(other->items, set.items, set.count * sizeof *set.items))
			break;
	}
	if (!set.count || slots[at]) {
		free((void *)set.items);
		return set.count ? slots[at] : 0;
	}
	set.items = mem_resize((void *)set.items, set.count * sizeof *set.items);
	result->sets = table_grow(result->sets, result->set_count, &result->set_room, sizeof *result->sets);
	result->sets[result->set_count] = set;
	return slots[at] = result->set_count++;
}

/* The number of the set of each node that stands for itself; the caller's to free. The nodes are cleared on the way: both
 * forms of all sets at once would be twice the memory. */
static uint32_t *take_sets(struct node_table *nodes, struct points *result, const struct numbering *numbering)
{
	uint32_t room = 64;
	while (room < nodes->count * 2)
		room *= 2;
	uint32_t *slots = mem_alloc(room * sizeof *slots);
	uint32_t *set_of = mem_alloc((nodes->count + 1) * sizeof *set_of);
	result->sets = table_grow(NULL, 0, &result->set_room, sizeof *result->sets);
	result->sets[result->set_count++] = (struct points_set){ 0 };
	for (uint32_t i = 0; i < nodes->count; i++) {
		if (nodes->rows[i].parent != i)
			continue;
		set_of[i] = add_set(result, slots, room - 1, locations_of(result, numbering, &nodes->rows[i].points));
		node_clear(&nodes->rows[i]);
	}
	free(slots);
	return set_of;
}

static void make_sets(struct node_table *nodes, const struct value_table *values, const struct cell_table *cells,
		      struct points *result, const struct numbering *numbering)
{
	uint32_t *set_of = take_sets(nodes, result, numbering);
	result->value_count = values->count;
	result->value_set = mem_alloc((result->value_count + 1) * sizeof *result->value_set);
	for (uint32_t i = 0; i < result->value_count; i++)
		if (values->node[i] != NONE)
			result->value_set[i] = set_of[node_find(nodes, values->node[i])];
	result->location_set = mem_alloc((result->location_count + 1) * sizeof *result->location_set);
	for (uint32_t i = 0; i < result->location_count; i++) {
		uint32_t node = cells->rows[numbering->cell_of[i]].out;
		if (node != NONE)
			result->location_set[i] = set_of[node_find(nodes, node)];
	}
	free(set_of);
}

/* ---- calls ---- */

/* A set of functions, by number; what it was made from is empty then. */
static struct points_set take_functions(struct set *set)
{
	struct points_set taken = { set->items, set->count };
	if (set->count > 1)
		qsort(set->items, set->count, sizeof *set->items, compare_numbers);
	set->items = NULL;
	set_release(set);
	return taken;
}

static void add_functions(struct set *set, const struct set *more)
{
	for (uint32_t i = 0; i < more->count; i++)
		set_add(set, more->items[i]);
}

/* Calls of the crowd call those of its members that they fit. */
static void add_crowd(struct call_table *calls, const struct crowd *crowd, struct function_table *functions,
		      const struct whole *whole)
{
	for (uint32_t i = 0; i < crowd->calls.count; i++) {
		struct call *call = &calls->rows[crowd->calls.items[i]];
		for (uint32_t k = 0; k < crowd->functions.count; k++)
			if (call_fits(functions, whole, call, crowd->functions.items[k]))
				set_add(&call->callees, crowd->functions.items[k]);
	}
}

static void take_calls(struct call_table *calls, const struct places *places, struct points *result)
{
	result->call_of_instruction = calls->of_instruction;
	result->instruction_count = calls->instruction_count;
	calls->of_instruction = NULL;
	result->call_count = calls->count;
	result->calls = mem_alloc((calls->count + 1) * sizeof *result->calls);
	for (uint32_t i = 0; i < calls->count; i++) {
		struct call *call = &calls->rows[i];
		if (call->run)
			add_functions(&call->callbacks, &places->functions[call->run]);
		if (call->routine_run)
			add_functions(&call->routines, &places->functions[call->routine_run]);
		result->calls[i] = (struct result_call){ .callees = take_functions(&call->callees),
							 .callbacks = take_functions(&call->callbacks),
							 .routines = take_functions(&call->routines),
							 .made = call->made,
							 .is_unknown = call->is_unknown };
	}
}

/* ---- the whole of it ---- */

/* Blocks that turned out to be arrays get a layout that says so. */
static void write_regions(const struct cell_table *cells, struct whole *whole)
{
	for (uint32_t i = 1; i < whole->object_count && i < cells->target_room; i++) {
		const struct target target = cells->targets[i];
		if (!target.step)
			continue;
		struct whole_array array = { .start = (uint64_t)target.region_start,
					     .element_bytes = target.step,
					     .element = NONE };
		array.end = array.start + array.element_bytes;
		if (array.end < whole->object[i].size_bytes)
			array.end = whole->object[i].size_bytes;
		whole->object[i].layout = whole_add_layout(whole, array.end);
		whole_add_array(whole, &array);
		whole->layout[whole->object[i].layout].array_count = 1;
	}
}

static uint32_t count_unified(const struct whole *whole, const struct value_table *values, struct node_table *nodes,
			      uint32_t lump_cell)
{
	uint32_t count = 0, last = NONE;
	for (uint32_t i = 0; i < values->count; i++) {
		uint32_t function = whole->value[i].function, node = values->node[i];
		if (function == NONE || function == last || node == NONE)
			continue;
		const struct node *row = &nodes->rows[node_find(nodes, node)];
		if (!row->is_unified && (lump_cell == NONE || !bits_has(&row->points, lump_cell)))
			continue;
		last = function;
		count++;
	}
	return count;
}

struct points *result_new(struct solver *solver)
{
	struct points *result = mem_alloc(sizeof *result);
	struct whole *whole = solver->whole;
	struct numbering numbering = { .lump_cell = solver->lump.cell, .crowd_cell = solver->crowd.cell };
	result->whole = whole;
	number_locations(whole, &solver->cells, result, &numbering);
	result->statistics = (struct points_statistics){
		.values = solver->values.count,
		.locations = result->location_count,
		.constraints = solver->nodes.constraint_count,
		.steps = solver->nodes.work.step_count,
		.merged = solver->nodes.merged_count,
		.unified_functions = count_unified(whole, &solver->values, &solver->nodes, solver->lump.cell),
		.unknown_externals = solver->functions.gap_count,
	};
	make_sets(&solver->nodes, &solver->values, &solver->cells, result, &numbering);
	release_numbering(&numbering);
	write_regions(&solver->cells, whole);
	result->functions = mem_alloc((solver->functions.count + 1) * sizeof *result->functions);
	for (uint32_t i = 0; i < solver->functions.count; i++)
		result->functions[i] = i;
	result->exposed = take_functions(&solver->outside.functions);
	add_crowd(&solver->calls, &solver->crowd, &solver->functions, whole);
	take_calls(&solver->calls, &solver->places, result);
	return result;
}

void points_free(struct points *points)
{
	if (!points)
		return;
	for (uint32_t i = 0; i < points->set_count; i++)
		free((void *)points->sets[i].items);
	for (uint32_t i = 0; i < points->call_count; i++) {
		free((void *)points->calls[i].callees.items);
		free((void *)points->calls[i].callbacks.items);
		free((void *)points->calls[i].routines.items);
	}
	free((void *)points->exposed.items);
	free(points->locations);
	free(points->sets);
	free(points->value_set);
	free(points->location_set);
	free(points->calls);
	free(points->call_of_instruction);
	free(points->functions);
	free(points);
}

/* ---- questions ---- */

struct points_set points_of_value(const struct points *points, uint32_t value)
{
	return value < points->value_count ? points->sets[points->value_set[value]] : (struct points_set){ 0 };
}

struct points_set points_of_location(const struct points *points, uint32_t location)
{
	return points->sets[points->location_set[location]];
}

struct points_location points_location(const struct points *points, uint32_t location)
{
	return points->locations[location];
}

uint32_t points_location_count(const struct points *points)
{
	return points->location_count;
}

static const struct result_call *call_at(const struct points *points, uint32_t instruction)
{
	uint32_t call = instruction < points->instruction_count ? points->call_of_instruction[instruction] : NONE;
	return call == NONE ? NULL : &points->calls[call];
}

struct points_set points_callees(const struct points *points, uint32_t instruction)
{
	const struct result_call *call = call_at(points, instruction);
	if (call)
		return call->callees;
	/* A function that is never called: what it names is known without solving. */
	uint32_t callee = instruction < points->instruction_count
				  ? whole_direct_callee(points->whole, &points->whole->instruction[instruction])
				  : NONE;
	return callee == NONE ? (struct points_set){ 0 } : (struct points_set){ &points->functions[callee], 1 };
}

struct points_set points_callbacks(const struct points *points, uint32_t instruction)
{
	const struct result_call *call = call_at(points, instruction);
	if (!call)
		return (struct points_set){ 0 };
	return call->is_unknown ? points->exposed : call->callbacks;
}

struct points_set points_routines(const struct points *points, uint32_t instruction)
{
	const struct result_call *call = call_at(points, instruction);
	return call ? call->routines : (struct points_set){ 0 };
}

bool points_is_unknown(const struct points *points, uint32_t instruction)
{
	const struct result_call *call = call_at(points, instruction);
	return call && call->is_unknown;
}

struct points_set points_exposed(const struct points *points)
{
	return points->exposed;
}

uint32_t points_made_by(const struct points *points, uint32_t instruction)
{
	const struct result_call *call = call_at(points, instruction);
	return call ? call->made : NONE;
}

struct points_statistics points_statistics(const struct points *points)
{
	return points->statistics;
}
