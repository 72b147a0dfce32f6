/*
 * points.c: the whole analysis: the initial state of the program, then solving until the assumptions hold, then the
 * result. The solver's state lives no longer than that; only the result (analysis/points/result.c) remains.
 */
#include "analysis/points/points.h"

#include <string.h>

#include "analysis/points/result.h"
#include "analysis/points/solver.h"
#include "base/word.h"

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
	NULL,
};

static bool is_harmless(const char *name)
{
	/* The prefix: tables of virtual functions, type information and the like. */
	return word_is_among(name, harmless) || word_begins_with(name, "_ZT");
}

/* The virtual functions of std::thread's states: destructors that do nothing, and none. Calls through it give nothing away. */
static bool is_empty_table(const char *name)
{
	return name && strcmp(name, "_ZTVNSt6thread6_StateE") == 0;
}

/* std::call_once leaves there what the library is to call. */
static void leave_once(struct solver *solver, uint32_t object)
{
	uint32_t cell = cell_at(solver, object, 0);
	callback_from(solver, solver->cells.rows[cell].out, MODEL_PLACE_ONCE);
}

static void add_initials(struct solver *solver)
{
	struct whole *whole = solver->whole;
	uint32_t count = whole->object_count;
	for (uint32_t i = 1; i < count; i++) {
		const struct whole_object row = whole->object[i];
		for (uint32_t j = 0; j < row.initial_count; j++) {
			const struct whole_initial initial = whole->initial[row.first_initial + j];
			uint32_t cell = cell_at(solver, i, (int64_t)initial.offset);
			uint32_t node = value_node(solver, initial.value);
			if (cell != NONE && solver->cells.rows[cell].out != NONE && node != NODE_EMPTY)
				node_add_edge(&solver->nodes, node, solver->cells.rows[cell].out);
		}
		if (row.kind == WHOLE_CODE)
			continue;
		if (row.is_undefined && row.name && strcmp(row.name, "_ZSt11__once_call") == 0)
			leave_once(solver, i);
		else if (row.is_undefined && is_empty_table(row.name))
			continue;
		else if (row.is_undefined && is_harmless(row.name))
			node_add_cell(solver, cell_anywhere_row(solver, i).in, cell_at(solver, 0, 0));
		else if (row.is_undefined || (row.is_exported && whole->is_library))
			node_add_cell(solver, solver->outside.node, cell_at(solver, i, 0));
	}
}

/* The strings that main is given are memory of their own. */
static void add_arguments(struct solver *solver, uint32_t function)
{
	uint32_t object = whole_add_object(solver->whole, WHOLE_GLOBAL);
	solver->whole->object[object].name = whole_string(solver->whole, "arguments of main");
	uint32_t anywhere = cell_anywhere(solver, object);
	node_add_cell(solver, solver->cells.rows[anywhere].in, anywhere);
	for (uint32_t i = 1; i < solver->whole->function[function].parameter_count; i++)
		node_add_cell(solver, function_parameter_node(solver, function, i), cell_at(solver, object, 0));
}

static void add_roots(struct solver *solver)
{
	struct whole *whole = solver->whole;
	for (uint32_t i = 0; i < whole->function_count; i++) {
		const struct whole_function row = whole->function[i];
		if (!row.is_defined)
			continue;
		bool is_main = !whole->is_library && strcmp(row.name, "main") == 0;
		if (is_main && row.parameter_count > 1)
			add_arguments(solver, i);
		if (is_main || row.is_constructor)
			reach_function(&solver->reach, solver->whole, i);
		if (whole->is_library && row.is_exported)
			node_add_cell(solver, solver->outside.node, cell_at(solver, row.object, 0));
	}
}

/* ---- solving ---- */

static void solver_init(struct solver *solver, struct whole *whole, const struct points_options *options)
{
	*solver = (struct solver){ .whole = whole };
	if (options)
		solver->options = *options;
	node_table_init(&solver->nodes);
	value_table_init(&solver->values, whole);
	reach_init(&solver->reach, whole);
	function_table_init(&solver->functions, whole);
	call_table_init(&solver->calls, whole);
	outside_init(&solver->outside, &solver->nodes);
	places_init(&solver->places, &solver->nodes, whole);
	wrapper_table_init(&solver->wrappers, &solver->nodes, whole);
	lump_init(&solver->lump);
	crowd_init(&solver->crowd);
	node_add_cell(solver, solver->outside.node, cell_at(solver, 0, 0));
	node_add_constraint(solver, solver->outside.node, (struct constraint){ CONSTRAINT_OUTSIDE, 0, 0, 0 });
}

static void solver_release(struct solver *solver)
{
	node_table_release(&solver->nodes);
	cell_table_release(&solver->cells);
	move_table_release(&solver->moves);
	value_table_release(&solver->values);
	reach_release(&solver->reach);
	function_table_release(&solver->functions);
	call_table_release(&solver->calls);
	outside_release(&solver->outside);
	places_release(&solver->places);
	wrapper_table_release(&solver->wrappers);
	crowd_release(&solver->crowd);
	adjust_table_release(&solver->adjusts);
}

int points_solve(struct whole *whole, const struct points_options *options, struct points **out, struct err *err)
{
	struct solver solver;
	(void)err;
	solver_init(&solver, whole, options);
	add_initials(&solver);
	add_roots(&solver);
	do
		solver_propagate(&solver);
	while (adjust_check(&solver));
	adjust_finish(&solver.adjusts, whole);
	*out = result_new(&solver);
	solver_release(&solver);
	return 0;
}
