/*
 * call.c: calls. Functions that are defined get what they are called with; those of the models do what their row
 * says; any other gets everything it is given out of sight: into the *outside*, one node for all code that is not analysed. Memory
 * that is known there is read and written there, and functions that are known there are called from there.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/points/points_priv.h"
#include "base/mem.h"

enum { POINTER_BYTES = 8, METHOD_OFFSET = 16, EVENT_OFFSET = 16 };

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

uint32_t function_return_node(struct solver *solver, uint32_t function)
{
	if (solver->functions.return_node[function] == NONE)
		solver->functions.return_node[function] = node_new(&solver->nodes);
	return node_find(&solver->nodes, solver->functions.return_node[function]);
}

uint32_t call_argument_node(struct solver *solver, const struct call *call, uint32_t number)
{
	return value_node(solver,
			  whole_operand(solver->whole, &solver->whole->instruction[call->instruction], number + 1));
}

static void link(struct solver *solver, uint32_t from, uint32_t to)
{
	if (from != NODE_EMPTY && from != NONE && to != NODE_EMPTY && to != NONE)
		node_add_edge(solver, from, to);
}

static uint32_t argument_count(struct solver *solver, const struct call *call)
{
	return solver->whole->instruction[call->instruction].operand_count - 1;
}

/* ---- functions that are defined ---- */

static void pass_arguments(struct solver *solver, uint32_t call, uint32_t function)
{
	const struct whole_function row = solver->whole->function[function];
	uint32_t count = argument_count(solver, &solver->calls.rows[call]);
	for (uint32_t i = 0; i < count && (i < row.parameter_count || row.is_variadic); i++) {
		uint32_t argument = call_argument_node(solver, &solver->calls.rows[call], i);
		if (argument != NODE_EMPTY)
			link(solver, argument, function_argument_node(solver, function, i));
	}
}

static void call_defined(struct solver *solver, uint32_t call, uint32_t function)
{
	reach_function(solver, function);
	pass_arguments(solver, call, function);
	if (solver->wrappers.rows[function].is_wrapper && !solver->wrappers.rows[function].is_failed) {
		wrapper_call(solver, call, function);
		return;
	}
	wrapper_fail(solver, call);
	if (solver->calls.rows[call].result != NONE)
		link(solver, function_return_node(solver, function), solver->calls.rows[call].result);
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
	reach_function(solver, function);
	wrapper_expose(solver, function);
	for (uint32_t i = 0; i < row.parameter_count + row.is_variadic; i++)
		link(solver, solver->outside.node, function_parameter_node(solver, function, i));
	link(solver, function_return_node(solver, function), solver->outside.node);
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
		link(solver, solver->outside.node, anywhere.in);
		link(solver, anywhere.out, solver->outside.node);
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
	uint32_t count = argument_count(solver, &solver->calls.rows[call]);
	for (uint32_t i = 0; i < count; i++)
		link(solver, call_argument_node(solver, &solver->calls.rows[call], i), solver->outside.node);
	link(solver, solver->outside.node, solver->calls.rows[call].result);
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

/* ---- models ---- */

void places_init(struct places *places, struct node_table *nodes, const struct whole *whole)
{
	places->static_object = table_of_none(whole->function_count);
	places->thread_results = node_new(nodes);
	for (unsigned i = 0; i < MODEL_PLACE_COUNT; i++)
		places->nodes[i] = node_new(nodes);
}

void places_release(struct places *places)
{
	for (unsigned i = 0; i < MODEL_PLACE_COUNT; i++)
		set_release(&places->functions[i]);
	free(places->static_object);
	free(places->callbacks);
}

static uint32_t model_node(struct solver *solver, uint32_t call, int number)
{
	if (number == MODEL_AT_KEY)
		return solver->places.nodes[MODEL_PLACE_KEY];
	if (number == MODEL_RETURN)
		return solver->calls.rows[call].result == NONE ? NODE_EMPTY : solver->calls.rows[call].result;
	if (number < 0 || (uint32_t)number >= argument_count(solver, &solver->calls.rows[call]))
		return NODE_EMPTY;
	return call_argument_node(solver, &solver->calls.rows[call], (uint32_t)number);
}

static uint32_t loaded(struct solver *solver, uint32_t from)
{
	uint32_t to = node_new(&solver->nodes);
	node_add_constraint(solver, from, (struct constraint){ CONSTRAINT_LOAD, to, POINTER_BYTES, 0 });
	return to;
}

static void store(struct solver *solver, uint32_t to, uint32_t from)
{
	if (to != NODE_EMPTY && from != NODE_EMPTY)
		node_add_constraint(solver, to, (struct constraint){ CONSTRAINT_STORE, from, POINTER_BYTES, 0 });
}

static uint32_t add_callback(struct solver *solver, uint32_t function_node, struct callback callback)
{
	uint32_t index = solver->places.callback_count;
	solver->places.callbacks = table_grow(solver->places.callbacks, index, &solver->places.callback_room,
					      sizeof *solver->places.callbacks);
	solver->places.callbacks[solver->places.callback_count++] = callback;
	if (function_node != NODE_EMPTY)
		node_add_constraint(solver, function_node, (struct constraint){ CONSTRAINT_CALLBACK, index, 0, 0 });
	return index;
}

void callback_from(struct solver *solver, uint32_t node, uint8_t place)
{
	struct callback callback = { .kind = CALLBACK_LATER, .place = place, .node = NONE, .result = NONE };
	add_callback(solver, node, callback);
}

void callback_resolve(struct solver *solver, uint32_t index, uint32_t function)
{
	struct callback callback = solver->places.callbacks[index];
	struct call *call = solver->calls.rows ? &solver->calls.rows[callback.call] : NULL;
	if (callback.kind == CALLBACK_LATER)
		set_add(&solver->places.functions[callback.place], function);
	else
		set_add(callback.kind == CALLBACK_NOW ? &call->callbacks : &call->routines, function);
	if (!solver->whole->function[function].is_defined) {
		const struct model *model = model_find(solver->whole->function[function].name);
		if (model && model->steps[0].flow == MODEL_RUN)
			call->routine_run = model->steps[0].place;
		else if (!model || model->steps[0].flow != MODEL_END)
			link(solver, callback.node, solver->outside.node);
		return;
	}
	reach_function(solver, function);
	wrapper_expose(solver, function);
	if (callback.node != NONE)
		link(solver, callback.node, function_parameter_node(solver, function, callback.parameter));
	uint32_t count = callback.spread ? argument_count(solver, call) : 0;
	for (uint32_t i = callback.spread; i < count; i++)
		link(solver, call_argument_node(solver, &solver->calls.rows[callback.call], i),
		     function_parameter_node(solver, function, callback.parameter + 1 + i - callback.spread));
	if (callback.result != NONE)
		link(solver, function_return_node(solver, function), callback.result);
}

static uint32_t behind(struct solver *solver, uint32_t from, int64_t offset)
{
	uint32_t node = node_new(&solver->nodes);
	node_add_constraint(solver, from, (struct constraint){ CONSTRAINT_OFFSET, node, offset, 0 });
	return node;
}

/* An object of the library's own: what is in it leads nowhere else. */
static uint32_t static_cell(struct solver *solver, uint32_t function, bool is_thread)
{
	uint32_t object = solver->places.static_object[function];
	if (object == NONE) {
		object = solver->places.static_object[function] =
			whole_add_object(solver->whole, is_thread ? WHOLE_THREAD_LOCAL : WHOLE_GLOBAL);
		solver->whole->object[object].name = solver->whole->function[function].name;
		node_add_cell(solver, cell_anywhere_row(solver, object).in, cell_anywhere(solver, object));
	}
	return cell_at(solver, object, 0);
}

/* The siginfo_t that a handler gets. */
static uint32_t information(struct solver *solver, uint32_t function)
{
	uint32_t node = node_new(&solver->nodes), cell = static_cell(solver, function, false);
	node_add_cell(solver, node, cell);
	link(solver, solver->places.nodes[MODEL_PLACE_VALUE],
	     cell_anywhere_row(solver, solver->cells.rows[cell].object).in);
	return node;
}

static void apply_routine(struct solver *solver, uint32_t call, uint32_t of, const struct model *model)
{
	uint32_t function = model_node(solver, call, model->routine);
	uint32_t argument = model_node(solver, call, model->argument);
	if (function != NODE_EMPTY && model->routine_kind == MODEL_IN_MEMORY) {
		function = loaded(solver, function);
		argument = information(solver, of);
	}
	if (function != NODE_EMPTY && model->routine_kind == MODEL_METHOD) {
		argument = loaded(solver, function);
		function = loaded(solver, behind(solver, loaded(solver, argument), METHOD_OFFSET));
	}
	if (function != NODE_EMPTY && model->routine_kind == MODEL_IN_EVENT) {
		if (model->event_bytes)
			function = behind(solver, function, model->event_bytes);
		argument = loaded(solver, function);
		function = loaded(solver, behind(solver, function, EVENT_OFFSET));
		link(solver, argument, solver->places.nodes[MODEL_PLACE_VALUE]);
	}
	struct callback callback = { .kind = CALLBACK_ROUTINE, .call = call, .parameter = model->first_parameter };
	callback.node = argument == NODE_EMPTY ? NONE : argument;
	callback.result = model->sync == MODEL_CREATE ? solver->places.thread_results : NONE;
	callback.spread = model->is_spread ? (uint32_t)model->argument + 1 : 0;
	add_callback(solver, function, callback);
}

static void apply_block(struct solver *solver, uint32_t call, const struct model *model, const struct model_step *step)
{
	if (step->flow == MODEL_ALLOCATE && step->to == MODEL_RETURN && model->is_allocator) {
		int moved = -1;
		for (unsigned i = 0; i < MODEL_MOST_STEPS; i++)
			if (model->steps[i].flow == MODEL_MOVE && model->steps[i].to == MODEL_RETURN)
				moved = model->steps[i].from;
		wrapper_allocate(solver, call, step->from < 0 ? NONE : (uint32_t)step->from,
				 step->size2 < 0 ? NONE : (uint32_t)step->size2, moved);
		return;
	}
	uint32_t node = node_new(&solver->nodes);
	uint32_t object = wrapper_make(solver, call, 0);
	node_add_cell(solver, node, cell_at(solver, object, 0));
	if (step->flow == MODEL_ALLOCATE_LINKED) {
		struct cell anywhere = cell_anywhere_row(solver, object);
		node_add_cell(solver, anywhere.in, cell_at(solver, object, 0));
	}
	uint32_t to = model_node(solver, call, step->to);
	if (step->place && to != NODE_EMPTY)
		to = behind(solver, to, step->place * POINTER_BYTES);
	if (step->flow != MODEL_ALLOCATE)
		store(solver, to, node);
	else
		link(solver, node, model_node(solver, call, step->to));
}

static uint32_t inside(struct solver *solver, uint32_t from)
{
	uint32_t node = node_new(&solver->nodes);
	if (from != NODE_EMPTY)
		node_add_constraint(solver, from, (struct constraint){ CONSTRAINT_INSIDE, node, 0, 0 });
	return node;
}

static void apply_callback(struct solver *solver, uint32_t call, const struct model_step *step)
{
	uint32_t node = model_node(solver, call, step->from);
	if (step->flow == MODEL_CALL_INSIDE && node != NODE_EMPTY)
		node = inside(solver, node);
	if (step->flow == MODEL_CALL_CONTENTS && node != NODE_EMPTY)
		node = loaded(solver, node);
	struct callback callback = { .kind = step->flow == MODEL_LATER ? CALLBACK_LATER : CALLBACK_NOW, .call = call };
	callback.place = step->place;
	callback.parameter = (uint32_t)(step->size2 < 0 ? 0 : step->size2);
	callback.node = node == NODE_EMPTY ? NONE : node;
	callback.result = NONE;
	add_callback(solver, model_node(solver, call, step->to), callback);
}

static void apply_contents(struct solver *solver, uint32_t to, uint32_t from, bool is_mixed)
{
	if (to == NODE_EMPTY || from == NODE_EMPTY)
		return;
	uint32_t number = is_mixed ? node_new(&solver->nodes) : move_new(&solver->moves, 0);
	node_add_constraint(solver, to,
			    (struct constraint){ is_mixed ? CONSTRAINT_MIX_IN : CONSTRAINT_IN, number, 0, 0 });
	node_add_constraint(solver, from,
			    (struct constraint){ is_mixed ? CONSTRAINT_MIX_OUT : CONSTRAINT_OUT, number, 0, 0 });
}

/* Nodes of a list or tree: what they and all that can be reached by their links point to may be any of them. */
static void apply_link(struct solver *solver, uint32_t call, const struct model_step *step)
{
	uint32_t all = node_new(&solver->nodes);
	link(solver, model_node(solver, call, step->to), all);
	link(solver, model_node(solver, call, step->from), all);
	link(solver, model_node(solver, call, step->size2), all);
	for (unsigned i = 0; i < 8; i++) {
		if (!(step->place >> i & 1))
			continue;
		uint32_t field = behind(solver, all, i * POINTER_BYTES);
		node_add_constraint(solver, field, (struct constraint){ CONSTRAINT_LOAD, all, POINTER_BYTES, 0 });
		node_add_constraint(solver, field, (struct constraint){ CONSTRAINT_STORE, all, POINTER_BYTES, 0 });
	}
	link(solver, all, model_node(solver, call, MODEL_RETURN));
}

/* Between a place and the contents of what an argument points to. */
static void apply_place(struct solver *solver, uint32_t node, uint32_t place, bool is_put)
{
	if (node == NODE_EMPTY)
		return;
	uint32_t kind = is_put ? CONSTRAINT_MIX_OUT : CONSTRAINT_MIX_IN;
	node_add_constraint(solver, node, (struct constraint){ kind, solver->places.nodes[place], 0, 0 });
}

static void scatter(struct solver *solver, uint32_t to, uint32_t from)
{
	if (to == NODE_EMPTY || from == NODE_EMPTY)
		return;
	uint32_t node = inside(solver, from);
	link(solver, from, node);
	node_add_constraint(solver, to, (struct constraint){ CONSTRAINT_MIX_IN, node, 0, 0 });
}

static void apply_step(struct solver *solver, uint32_t call, uint32_t function, const struct model *model,
		       const struct model_step *step)
{
	uint32_t to = model_node(solver, call, step->to), from = model_node(solver, call, step->from);
	switch (step->flow) {
	case MODEL_COPY:
		link(solver, from, to);
		break;
	case MODEL_COPY_INSIDE:
		if (to != NODE_EMPTY && from != NODE_EMPTY)
			node_add_constraint(solver, from, (struct constraint){ CONSTRAINT_INSIDE, to, 0, 0 });
		break;
	case MODEL_LOAD:
		if (to != NODE_EMPTY && from != NODE_EMPTY)
			node_add_constraint(solver, from, (struct constraint){ CONSTRAINT_LOAD, to, POINTER_BYTES, 0 });
		break;
	case MODEL_STORE:
		if (step->place && to != NODE_EMPTY)
			to = behind(solver, to, step->place * POINTER_BYTES);
		store(solver, to, from);
		break;
	case MODEL_STORE_INSIDE:
		store(solver, to, inside(solver, from));
		break;
	case MODEL_ADVANCE:
		if (to != NODE_EMPTY)
			store(solver, to, inside(solver, loaded(solver, to)));
		break;
	case MODEL_SCATTER:
		scatter(solver, to, from);
		break;
	case MODEL_MOVE:
		/* What a realloc moves is up to wrapper_allocate. */
		if (!model->is_allocator || step->to != MODEL_RETURN)
			apply_contents(solver, to, from, false);
		break;
	case MODEL_MIX:
		apply_contents(solver, to, from, true);
		break;
	case MODEL_ALLOCATE:
	case MODEL_ALLOCATE_INTO:
	case MODEL_ALLOCATE_LINKED:
		apply_block(solver, call, model, step);
		break;
	case MODEL_STATIC:
	case MODEL_STATIC_THREAD:
		if (to != NODE_EMPTY)
			node_add_cell(solver, to, static_cell(solver, function, step->flow == MODEL_STATIC_THREAD));
		break;
	case MODEL_CALL:
	case MODEL_CALL_INSIDE:
	case MODEL_CALL_CONTENTS:
	case MODEL_LATER:
		apply_callback(solver, call, step);
		break;
	case MODEL_RUN:
		solver->calls.rows[call].run = step->place;
		break;
	case MODEL_KEEP:
		link(solver, from, solver->outside.node);
		break;
	case MODEL_OUTSIDE:
		link(solver, solver->outside.node, to);
		break;
	case MODEL_PUT:
		link(solver, from, solver->places.nodes[step->place]);
		break;
	case MODEL_PUT_INSIDE:
		apply_place(solver, from, step->place, true);
		break;
	case MODEL_GET_INSIDE:
		apply_place(solver, to, step->place, false);
		break;
	case MODEL_LINK:
		apply_link(solver, call, step);
		break;
	case MODEL_GET:
		link(solver, solver->places.nodes[step->place], to);
		break;
	}
}

static void call_modelled(struct solver *solver, uint32_t call, uint32_t function, const struct model *model)
{
	if (!model->is_allocator)
		wrapper_fail(solver, call);
	for (unsigned i = 0; i < MODEL_MOST_STEPS && model->steps[i].flow != MODEL_END; i++)
		apply_step(solver, call, function, model, &model->steps[i]);
	if (model->sync == MODEL_CREATE || model->sync == MODEL_PARALLEL || model->sync == MODEL_AT_EXIT ||
	    model->sync == MODEL_HANDLER || model->sync == MODEL_ONCE)
		apply_routine(solver, call, function, model);
	if (model->sync == MODEL_JOIN || model->sync == MODEL_JOIN_TRY)
		store(solver, model_node(solver, call, model->argument), solver->places.thread_results);
	if (model->sync == MODEL_EXIT_THREAD)
		link(solver, model_node(solver, call, model->argument), solver->places.thread_results);
}

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

uint32_t function_used(struct solver *solver, uint32_t function)
{
	if (solver->functions.used[function] == NONE)
		solver->functions.used[function] =
			solver->whole->function[function].is_defined ? count_used(solver->whole, function) : 0;
	return solver->functions.used[function];
}

bool call_fits(struct solver *solver, uint32_t call, uint32_t function)
{
	return function_used(solver, function) <= argument_count(solver, &solver->calls.rows[call]);
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
		call_modelled(solver, call, function, model);
	else
		call_unknown(solver, call, function);
}
