/*
 * call.c: calls. Functions that are defined get what they are called with; those of the models do what their row
 * says (analysis/points/modelled.c); any other gets everything it is given out of sight: into the *outside*, one node for all
 * code that is not analysed. Memory that is known there is read and written there, and functions that are known there are called
 * from there.
 */
#include "analysis/points/call.h"

#include <stdlib.h>

#include "analysis/points/solver.h"
#include "base/mem.h"

void function_table_init(struct function_table *functions, const struct whole *whole)
{
	functions->count = whole->function_count;
	functions->return_node = table_of_none(whole->function_count);
	functions->used = table_of_none(whole->function_count);
	functions->is_gap = mem_alloc(whole->function_count + 1);
}

void function_table_release(struct function_table *functions)
{
	free(functions->return_node);
	free(functions->used);
	free(functions->is_gap);
}

void call_table_init(struct call_table *calls, const struct whole *whole)
{
	calls->instruction_count = whole->instruction_count;
	calls->of_instruction = table_of_none(whole->instruction_count);
}

uint32_t call_new(struct call_table *calls, uint32_t instruction, uint32_t result)
{
	uint32_t index = calls->count++;
	calls->rows = table_grow(calls->rows, index, &calls->room, sizeof *calls->rows);
	calls->rows[index] =
		(struct call){ .instruction = instruction, .result = result, .made = NONE, .wrapper = NONE };
	calls->of_instruction[instruction] = index;
	return index;
}

void call_table_release(struct call_table *calls)
{
	for (uint32_t i = 0; i < calls->count; i++) {
		set_release(&calls->rows[i].callees);
		set_release(&calls->rows[i].callbacks);
		set_release(&calls->rows[i].routines);
	}
	free(calls->rows);
	free(calls->of_instruction);
}

uint32_t function_parameter_node(struct solver *solver, uint32_t function, uint32_t number)
{
	const struct whole_function *row = &solver->whole->function[function];
	if (number > row->parameter_count || (number == row->parameter_count && !row->is_variadic))
		return NODE_EMPTY;
	return value_node(solver, row->first_parameter + number);
}

uint32_t function_argument_node(struct solver *solver, uint32_t function, uint32_t number)
{
	uint32_t count = solver->whole->function[function].parameter_count;
	return function_parameter_node(solver, function, number < count ? number : count);
}

uint32_t function_return_node(struct function_table *functions, struct node_table *nodes, uint32_t function)
{
	if (functions->return_node[function] == NONE)
		functions->return_node[function] = node_new(nodes);
	return node_find(nodes, functions->return_node[function]);
}

uint32_t call_argument_node(struct solver *solver, const struct call *call, uint32_t number)
{
	return value_node(solver,
			  whole_operand(solver->whole, &solver->whole->instruction[call->instruction], number + 1));
}

uint32_t call_argument_count(const struct whole *whole, const struct call *call)
{
	return whole->instruction[call->instruction].operand_count - 1;
}

/* ---- functions that are defined ---- */

static void pass_arguments(struct solver *solver, uint32_t call, uint32_t function)
{
	const struct whole_function row = solver->whole->function[function];
	uint32_t count = call_argument_count(solver->whole, &solver->calls.rows[call]);
	for (uint32_t i = 0; i < count && (i < row.parameter_count || row.is_variadic); i++) {
		uint32_t argument = call_argument_node(solver, &solver->calls.rows[call], i);
		if (argument != NODE_EMPTY)
			node_link(&solver->nodes, argument, function_argument_node(solver, function, i));
	}
}

static void call_defined(struct solver *solver, uint32_t call, uint32_t function)
{
	reach_function(&solver->reach, solver->whole, function);
	pass_arguments(solver, call, function);
	if (solver->wrappers.rows[function].is_wrapper && !solver->wrappers.rows[function].is_failed) {
		wrapper_call(solver, call, function);
		return;
	}
	wrapper_fail(solver, call);
	if (solver->calls.rows[call].result != NONE)
		node_link(&solver->nodes, function_return_node(&solver->functions, &solver->nodes, function),
			  solver->calls.rows[call].result);
}

/* ---- the outside ---- */

void outside_init(struct outside *outside, struct node_table *nodes)
{
	outside->node = node_new(nodes);
}

void outside_release(struct outside *outside)
{
	set_release(&outside->functions);
}

void function_expose(struct solver *solver, uint32_t function)
{
	if (!set_add(&solver->outside.functions, function))
		return;
	const struct whole_function row = solver->whole->function[function];
	if (!row.is_defined)
		return;
	reach_function(&solver->reach, solver->whole, function);
	wrapper_expose(solver, function);
	for (uint32_t i = 0; i < row.parameter_count + row.is_variadic; i++)
		node_link(&solver->nodes, solver->outside.node, function_parameter_node(solver, function, i));
	node_link(&solver->nodes, function_return_node(&solver->functions, &solver->nodes, function),
		  solver->outside.node);
}

void outside_see_cell(struct solver *solver, uint32_t cell)
{
	uint32_t object = solver->cells.rows[cell].object;
	struct whole_object row = solver->whole->object[object];
	if (!object || cell_target(&solver->cells, object)->is_outside)
		return;
	cell_target(&solver->cells, object)->is_outside = true;
	if (row.kind != WHOLE_CODE) {
		struct cell anywhere = cell_anywhere_row(solver, object);
		node_add_cell(solver, solver->outside.node, cell_anywhere(solver, object));
		node_link(&solver->nodes, solver->outside.node, anywhere.in);
		node_link(&solver->nodes, anywhere.out, solver->outside.node);
		return;
	}
	if (object == solver->crowd.object)
		crowd_expose(solver);
	else
		function_expose(solver, row.function);
}

void call_outside(struct solver *solver, uint32_t call)
{
	if (solver->calls.rows[call].is_unknown)
		return;
	solver->calls.rows[call].is_unknown = true;
	wrapper_fail(solver, call);
	uint32_t count = call_argument_count(solver->whole, &solver->calls.rows[call]);
	for (uint32_t i = 0; i < count; i++)
		node_link(&solver->nodes, call_argument_node(solver, &solver->calls.rows[call], i),
			  solver->outside.node);
	node_link(&solver->nodes, solver->outside.node, solver->calls.rows[call].result);
}

static void call_unknown(struct solver *solver, uint32_t call, uint32_t function)
{
	call_outside(solver, call);
	if (solver->functions.is_gap[function])
		return;
	solver->functions.is_gap[function] = 1;
	solver->functions.gap_count++;
	const struct whole_instruction *at = &solver->whole->instruction[solver->calls.rows[call].instruction];
	whole_add_gap(solver->whole, WHOLE_GAP_EXTERNAL, at->function, at->place,
		      solver->whole->function[function].name);
}

/* ---- callees ---- */

static uint32_t count_used(const struct whole *whole, uint32_t function)
{
	const struct whole_function *row = &whole->function[function];
	uint32_t used = 0;
	for (uint32_t i = 0; i < row->instruction_count; i++) {
		const struct whole_instruction *at = &whole->instruction[row->first_instruction + i];
		for (uint32_t k = 0; k < at->operand_count; k++) {
			uint32_t value = whole_operand(whole, at, k);
			if (value >= row->first_parameter + used && value < row->first_parameter + row->parameter_count)
				used = value - row->first_parameter + 1;
		}
	}
	return used;
}

uint32_t function_used(struct function_table *functions, const struct whole *whole, uint32_t function)
{
	if (functions->used[function] == NONE)
		functions->used[function] = whole->function[function].is_defined ? count_used(whole, function) : 0;
	return functions->used[function];
}

bool call_fits(struct function_table *functions, const struct whole *whole, const struct call *call, uint32_t function)
{
	return function_used(functions, whole, function) <= call_argument_count(whole, call);
}

void call_resolve(struct solver *solver, uint32_t call, uint32_t function)
{
	if (!set_add(&solver->calls.rows[call].callees, function))
		return;
	if (solver->whole->function[function].is_defined) {
		call_defined(solver, call, function);
		return;
	}
	const struct model *model = model_find(solver->whole->function[function].name);
	if (model)
		modelled_call(solver, call, function, model);
	else
		call_unknown(solver, call, function);
}

void call_resolve_pointer(struct solver *solver, uint32_t call, uint32_t function)
{
	if (call_fits(&solver->functions, solver->whole, &solver->calls.rows[call], function))
		call_resolve(solver, call, function);
}
