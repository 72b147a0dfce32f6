/* points.c: the whole of it: roots, solving, and the results in the form that others read. See points.h and points_priv.h. */
#include "analysis/points/points.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/points/points_priv.h"
#include "base/mem.h"

/* ---- what the program begins with ---- */

/* Variables of libraries that hold nothing of the program's. */
static const char *const harmless[] = {
	"stdin",
	"stdout",
	"stderr",
	"environ",
	"__environ",
	"optarg",
	"sys_errlist",
	"program_invocation_name",
	"program_invocation_short_name",
	"tzname",
	"in6addr_any",
	"in6addr_loopback",
	"__stack_chk_guard",
	"_ZSt4cout",
	"_ZSt4cerr",
	"_ZSt3cin",
	"_ZSt4clog",
	"_ZSt7nothrow",
	"__dso_handle",
	"_ZSt15__once_callable",
	"__libc_single_threaded",
	"__progname",
	"signgam",
};

static bool is_harmless(const char *name)
{
	for (size_t i = 0; name && i < sizeof harmless / sizeof *harmless; i++)
		if (strcmp(name, harmless[i]) == 0)
			return true;
	/* Tables of virtual functions, type information and the like. */
	return name && strncmp(name, "_ZT", 3) == 0;
}

/* The virtual functions of std::thread's states: destructors that do nothing, and none. Calls through it give nothing away. */
static bool is_empty_table(const char *name)
{
	return name && strcmp(name, "_ZTVNSt6thread6_StateE") == 0;
}

/* std::call_once leaves there what the library is to call. */
static void leave_once(struct points *points, uint32_t object)
{
	uint32_t cell = cell_at(points, object, 0);
	callback_from(points, points->cells.rows[cell].out, MODEL_PLACE_ONCE);
}

static void add_initials(struct points *points)
{
	struct whole *whole = points->whole;
	uint32_t count = whole->object_count;
	for (uint32_t i = 1; i < count; i++) {
		const struct whole_object row = whole->object[i];
		for (uint32_t j = 0; j < row.initial_count; j++) {
			const struct whole_initial initial = whole->initial[row.first_initial + j];
			uint32_t cell = cell_at(points, i, (int64_t)initial.offset);
			uint32_t node = points_value_node(points, initial.value);
			if (cell != NONE && points->cells.rows[cell].out != NONE && node != NODE_EMPTY)
				node_add_edge(points, node, points->cells.rows[cell].out);
		}
		if (row.kind == WHOLE_CODE)
			continue;
		if (row.is_undefined && row.name && strcmp(row.name, "_ZSt11__once_call") == 0)
			leave_once(points, i);
		else if (row.is_undefined && is_empty_table(row.name))
			continue;
		else if (row.is_undefined && is_harmless(row.name))
			node_add_cell(points, cell_anywhere_row(points, i).in, cell_at(points, 0, 0));
		else if (row.is_undefined || (row.is_exported && whole->is_library))
			node_add_cell(points, points->outside.node, cell_at(points, i, 0));
	}
}

/* The strings that main is given are memory of their own. */
static void add_arguments(struct points *points, uint32_t function)
{
	uint32_t object = whole_add_object(points->whole, WHOLE_GLOBAL);
	points->whole->object[object].name = whole_string(points->whole, "arguments of main");
	uint32_t anywhere = cell_anywhere(points, object);
	node_add_cell(points, points->cells.rows[anywhere].in, anywhere);
	for (uint32_t i = 1; i < points->whole->function[function].parameter_count; i++)
		node_add_cell(points, function_parameter_node(points, function, i), cell_at(points, object, 0));
}

static void add_roots(struct points *points)
{
	struct whole *whole = points->whole;
	for (uint32_t i = 0; i < whole->function_count; i++) {
		const struct whole_function row = whole->function[i];
		if (!row.is_defined)
			continue;
		bool is_main = !whole->is_library && strcmp(row.name, "main") == 0;
		if (is_main && row.parameter_count > 1)
			add_arguments(points, i);
		if (is_main || row.is_constructor)
			points_reach(points, i);
		if (whole->is_library && row.is_exported)
			node_add_cell(points, points->outside.node, cell_at(points, row.object, 0));
	}
}

/* ---- results ---- */

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

/* Sets of functions, by number. */
static void sort_set(struct set *set)
{
	if (set->count > 1)
		qsort(set->items, set->count, sizeof *set->items, compare_numbers);
	free(set->slots);
	set->slots = NULL;
}

struct points_result {
	struct points_location *locations;
	uint32_t location_count;
	uint32_t *cell_of;            /* by location */
	uint32_t *location_of;        /* by cell; NONE: outside of its object */
	struct points_set *node_sets; /* by node */
	uint8_t *owns_set;            /* by node: the items are not those of another */
	uint32_t node_count;
	uint32_t *functions; /* 0, 1, 2, ...: sets of one function */
	/* Locations that the lump and the crowd stand for, ascending: anywhere in each member, or the function. */
	uint32_t *members, *crowd;
	uint32_t member_count, crowd_count;
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

static void number_locations(struct points *points, struct points_result *result)
{
	struct sorted_cell *sorted = mem_alloc((points->cells.count + 1) * sizeof *sorted);
	uint32_t count = 0;
	for (uint32_t i = 0; i < points->cells.count; i++) {
		const struct cell *cell = &points->cells.rows[i];
		bool is_code = points->whole->object[cell->object].kind == WHOLE_CODE;
		if (cell->parent != i || (cell->out == NONE && !is_code) || i == points->lump.cell ||
		    i == points->crowd.cell)
			continue;
		uint64_t offset = cell->offset == CELL_ANYWHERE ? POINTS_ANYWHERE : (uint64_t)cell->offset;
		sorted[count++] = (struct sorted_cell){ cell->object, i, offset };
	}
	qsort(sorted, count, sizeof *sorted, compare_cells);
	result->location_count = count;
	result->locations = mem_alloc((count + 1) * sizeof *result->locations);
	result->cell_of = mem_alloc((count + 1) * sizeof *result->cell_of);
	result->location_of = mem_alloc((points->cells.count + 1) * sizeof *result->location_of);
	memset(result->location_of, 0xff, (points->cells.count + 1) * sizeof *result->location_of);
	for (uint32_t i = 0; i < count; i++) {
		result->locations[i] = (struct points_location){ sorted[i].object, sorted[i].offset };
		result->cell_of[i] = sorted[i].cell;
		result->location_of[sorted[i].cell] = i;
	}
	for (uint32_t i = 0; i < points->cells.count; i++)
		result->location_of[i] = result->location_of[cell_find(points, i)];
	free(sorted);
	result->members = mem_alloc((count + 1) * sizeof *result->members);
	result->crowd = mem_alloc((count + 1) * sizeof *result->crowd);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t object = result->locations[i].object;
		if (!cell_target(points, object)->is_lumped)
			continue;
		if (points->whole->object[object].kind == WHOLE_CODE)
			result->crowd[result->crowd_count++] = i;
		else if (result->locations[i].offset == POINTS_ANYWHERE)
			result->members[result->member_count++] = i;
	}
}

/* Adds members to ascending items, which have room. */
static uint32_t add_members(uint32_t *items, uint32_t count, const uint32_t *members, uint32_t member_count)
{
	uint32_t a = count, b = member_count, to = a + b;
	while (b)
		items[--to] = a && items[a - 1] > members[b - 1] ? items[--a] : members[--b];
	return count + member_count;
}

/* The set of a node in terms of locations, ascending; the caller's to free. What the node had is released. */
static struct points_set finish_node(const struct points *points, struct points_result *result, struct node *node)
{
	bool has_lump = points->lump.cell != NONE && bits_has(&node->points, points->lump.cell),
	     has_crowd = points->crowd.cell != NONE && bits_has(&node->points, points->crowd.cell);
	uint32_t room = bits_size(&node->points) + (has_lump ? result->member_count : 0) +
			(has_crowd ? result->crowd_count : 0);
	uint32_t *items = mem_alloc((room + 1) * sizeof *items), count = 0, kept = 0, cell;
	for (struct bits_at at = { .bits = &node->points }; bits_next(&at, &cell);)
		if (result->location_of[cell] != NONE)
			items[count++] = result->location_of[cell];
	qsort(items, count, sizeof *items, compare_numbers);
	if (has_lump)
		count = add_members(items, count, result->members, result->member_count);
	if (has_crowd)
		count = add_members(items, count, result->crowd, result->crowd_count);
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
	bits_release(&node->points);
	bits_release(&node->fresh);
	set_release(&node->edges);
	free(node->constraints);
	node->constraints = NULL;
	node->constraint_count = 0;
	return (struct points_set){ items, kept };
}

static uint64_t hash_set(const struct points_set *set)
{
	uint64_t hash = set->count;
	for (uint32_t i = 0; i < set->count; i++)
		hash = (hash ^ set->items[i]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
	return hash ^ hash >> 32;
}

/* Equal sets share their items. */
static void share_sets(struct points *points, struct points_result *result)
{
	uint32_t room = 64;
	while (room < points->graph.node_count * 2)
		room *= 2;
	uint32_t *slots = mem_alloc(room * sizeof *slots);
	result->node_sets = mem_alloc((points->graph.node_count + 1) * sizeof *result->node_sets);
	result->owns_set = mem_alloc(points->graph.node_count + 1);
	result->node_count = points->graph.node_count;
	for (uint32_t i = 0; i < points->graph.node_count; i++) {
		struct node *node = &points->graph.nodes[i];
		if (node->parent != i)
			continue;
		struct points_set set = finish_node(points, result, node);
		uint32_t at = (uint32_t)hash_set(&set) & (room - 1);
		for (; slots[at]; at = (at + 1) & (room - 1)) {
			const struct points_set *other = &result->node_sets[slots[at] - 1];
			if (other->count == set.count &&
			    !memcmp(other->items, set.items, set.count * sizeof *set.items))
				break;
		}
		if (!set.count || slots[at]) {
			free((void *)set.items);
			if (set.count)
				result->node_sets[i] = result->node_sets[slots[at] - 1];
			continue;
		}
		slots[at] = i + 1;
		result->node_sets[i] =
			(struct points_set){ mem_resize((void *)set.items, set.count * sizeof *set.items), set.count };
		result->owns_set[i] = 1;
	}
	free(slots);
}

/* Blocks that turned out to be arrays get a layout that says so. */
static void write_regions(struct points *points)
{
	struct whole *whole = points->whole;
	for (uint32_t i = 1; i < whole->object_count && i < points->cells.target_room; i++) {
		const struct target target = points->cells.targets[i];
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

static uint32_t count_unified(struct points *points)
{
	uint32_t count = 0, last = NONE;
	for (uint32_t i = 0; i < points->values.count; i++) {
		uint32_t function = points->whole->value[i].function, node = points->values.node[i];
		if (function == NONE || function == last || node == NONE)
			continue;
		const struct node *row = &points->graph.nodes[node_find(points, node)];
		if (!row->is_unified && (points->lump.cell == NONE || !bits_has(&row->points, points->lump.cell)))
			continue;
		last = function;
		count++;
	}
	return count;
}

static void finish(struct points *points)
{
	struct points_result *result = mem_alloc(sizeof *result);
	points->result = result;
	points->statistics.unified_functions = count_unified(points);
	number_locations(points, result);
	points->statistics.values = points->values.count;
	points->statistics.locations = result->location_count;
	share_sets(points, result);
	write_regions(points);
	result->functions = mem_alloc((points->functions.count + 1) * sizeof *result->functions);
	for (uint32_t i = 0; i < points->functions.count; i++)
		result->functions[i] = i;
	for (unsigned i = 0; i < MODEL_PLACE_COUNT; i++)
		sort_set(&points->places.functions[i]);
	sort_set(&points->outside.functions);
	crowd_finish(points);
	for (uint32_t i = 0; i < points->calls.count; i++) {
		struct call *call = &points->calls.rows[i];
		const struct set *later = &points->places.functions[call->run];
		for (uint32_t j = 0; call->run && j < later->count; j++)
			set_add(&call->callbacks, later->items[j]);
		later = &points->places.functions[call->routine_run];
		for (uint32_t j = 0; call->routine_run && j < later->count; j++)
			set_add(&call->routines, later->items[j]);
		sort_set(&call->callees);
		sort_set(&call->callbacks);
		sort_set(&call->routines);
	}
}

/* ---- the interface ---- */

static uint32_t *filled(uint32_t count)
{
	uint32_t *items = mem_alloc((count + 1) * sizeof *items);
	memset(items, 0xff, (count + 1) * sizeof *items);
	return items;
}

static void set_up(struct points *points)
{
	struct whole *whole = points->whole;
	points->values.count = whole->value_count;
	points->functions.count = whole->function_count;
	points->calls.instruction_count = whole->instruction_count;
	points->values.node = filled(whole->value_count);
	points->functions.return_node = filled(whole->function_count);
	points->places.static_object = filled(whole->function_count);
	points->calls.of_instruction = filled(whole->instruction_count);
	points->functions.used = filled(whole->function_count);
	points->reach.is_reached = mem_alloc(whole->function_count + 1);
	points->functions.is_gap = mem_alloc(whole->function_count + 1);
	points->graph.work.now_order = UINT32_MAX;
	points->lump.object = points->lump.cell = points->crowd.object = points->crowd.cell = NONE;
	if (node_new(points) != NODE_EMPTY)
		BUG("the first node is another");
	points->outside.node = node_new(points);
	points->places.thread_results = node_new(points);
	for (unsigned i = 0; i < MODEL_PLACE_COUNT; i++)
		points->places.nodes[i] = node_new(points);
	wrapper_find_all(whole, &points->wrappers);
	for (uint32_t i = 0; i < whole->function_count; i++)
		points->wrappers.rows[i].fresh = points->wrappers.rows[i].is_wrapper ? node_new(points) : NODE_EMPTY;
	node_add_cell(points, points->outside.node, cell_at(points, 0, 0));
	node_add_constraint(points, points->outside.node, (struct constraint){ CONSTRAINT_OUTSIDE, 0, 0, 0 });
}

int points_solve(struct whole *whole, const struct points_options *options, struct points **out, struct err *err)
{
	struct points *points = mem_alloc(sizeof *points);
	(void)err;
	points->whole = whole;
	if (options)
		points->options = *options;
	set_up(points);
	add_initials(points);
	add_roots(points);
	do
		points_propagate(points);
	while (adjust_check(points));
	adjust_finish(points);
	finish(points);
	*out = points;
	return 0;
}

static void free_result(struct points_result *result)
{
	if (!result)
		return;
	free(result->locations);
	free(result->cell_of);
	free(result->location_of);
	for (uint32_t i = 0; i < result->node_count; i++)
		if (result->owns_set[i])
			free((void *)result->node_sets[i].items);
	free(result->node_sets);
	free(result->owns_set);
	free(result->functions);
	free(result->members);
	free(result->crowd);
	free(result);
}

void points_free(struct points *points)
{
	if (!points)
		return;
	for (uint32_t i = 0; i < points->graph.node_count; i++) {
		bits_release(&points->graph.nodes[i].points);
		bits_release(&points->graph.nodes[i].fresh);
		set_release(&points->graph.nodes[i].edges);
		free(points->graph.nodes[i].constraints);
	}
	for (uint32_t i = 0; i < points->calls.count; i++) {
		set_release(&points->calls.rows[i].callees);
		set_release(&points->calls.rows[i].callbacks);
		set_release(&points->calls.rows[i].routines);
	}
	for (uint32_t i = 0; i < points->moves.count; i++) {
		set_release(&points->moves.rows[i].sources);
		set_release(&points->moves.rows[i].destinations);
	}
	for (uint32_t i = 0; i < points->functions.count; i++) {
		set_release(&points->wrappers.rows[i].calls);
		set_release(&points->wrappers.rows[i].inner);
	}
	for (unsigned i = 0; i < MODEL_PLACE_COUNT; i++)
		set_release(&points->places.functions[i]);
	set_release(&points->outside.functions);
	set_release(&points->crowd.functions);
	set_release(&points->crowd.calls);
	set_release(&points->crowd.callbacks);
	free(points->crowd.levels);
	index_release(&points->cells.index);
	index_release(&points->moves.index);
	index_release(&points->values.index);
	free_result(points->result);
	void *const blocks[] = { points->graph.nodes,           points->cells.rows,           points->cells.targets,
				 points->moves.watches,         points->moves.rows,           points->moves.entries,
				 points->places.callbacks,      points->calls.rows,           points->values.node,
				 points->functions.return_node, points->calls.of_instruction, points->wrappers.rows,
				 points->wrappers.parts,        points->places.static_object, points->functions.is_gap,
				 points->reach.is_reached,      points->cells.sums,           points->reach.functions,
				 points->graph.work.queue,      points->graph.work.next,      points->functions.used,
				 points->adjusts.rows };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		free(blocks[i]);
	free(points);
}

static uint32_t rep(const struct points *points, uint32_t node)
{
	while (points->graph.nodes[node].parent != node)
		node = points->graph.nodes[node].parent;
	return node;
}

struct points_set points_of_value(const struct points *points, uint32_t value)
{
	if (value >= points->values.count || points->values.node[value] == NONE)
		return (struct points_set){ 0 };
	return points->result->node_sets[rep(points, points->values.node[value])];
}

struct points_set points_of_location(const struct points *points, uint32_t location)
{
	uint32_t node = points->cells.rows[points->result->cell_of[location]].out;
	return node == NONE ? (struct points_set){ 0 } : points->result->node_sets[rep(points, node)];
}

struct points_location points_location(const struct points *points, uint32_t location)
{
	return points->result->locations[location];
}

uint32_t points_location_count(const struct points *points)
{
	return points->result->location_count;
}

static const struct call *call_at(const struct points *points, uint32_t instruction)
{
	uint32_t call =
		instruction < points->calls.instruction_count ? points->calls.of_instruction[instruction] : NONE;
	return call == NONE ? NULL : &points->calls.rows[call];
}

static struct points_set as_set(const struct set *set)
{
	return (struct points_set){ set->items, set->count };
}

struct points_set points_callees(const struct points *points, uint32_t instruction)
{
	const struct call *call = call_at(points, instruction);
	if (call)
		return as_set(&call->callees);
	/* A function that is never called: what it names is known without solving. */
	uint32_t callee = instruction < points->calls.instruction_count
				  ? whole_direct_callee(points->whole, &points->whole->instruction[instruction])
				  : NONE;
	return callee == NONE ? (struct points_set){ 0 } : (struct points_set){ &points->result->functions[callee], 1 };
}

struct points_set points_callbacks(const struct points *points, uint32_t instruction)
{
	const struct call *call = call_at(points, instruction);
	if (!call)
		return (struct points_set){ 0 };
	return as_set(call->is_unknown ? &points->outside.functions : &call->callbacks);
}

struct points_set points_routines(const struct points *points, uint32_t instruction)
{
	const struct call *call = call_at(points, instruction);
	return call ? as_set(&call->routines) : (struct points_set){ 0 };
}

bool points_is_unknown(const struct points *points, uint32_t instruction)
{
	const struct call *call = call_at(points, instruction);
	return call && call->is_unknown;
}

struct points_set points_exposed(const struct points *points)
{
	return as_set(&points->outside.functions);
}

uint32_t points_made_by(const struct points *points, uint32_t instruction)
{
	const struct call *call = call_at(points, instruction);
	return call ? call->made : NONE;
}

struct points_statistics points_statistics(const struct points *points)
{
	struct points_statistics statistics = points->statistics;
	statistics.constraints = points->graph.constraint_count;
	statistics.merged = points->graph.merged_count;
	statistics.steps = points->graph.work.step_count;
	statistics.unknown_externals = points->functions.gap_count;
	return statistics;
}
