/*
 * call.c: calls. Functions that are defined get what they are called with; those of the models do what their row
 * says; any other gets everything it is given out of sight: into the *outside*, one node for all code that is not analysed. Memory
 * that is known there is read and written there, and functions that are known there are called from there.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/points/points_priv.h"

enum { POINTER_BYTES = 8, METHOD_OFFSET = 16, EVENT_OFFSET = 16 };

uint32_t function_parameter_node(struct points *points, uint32_t function, uint32_t number)
{
	const struct whole_function *row = &points->whole->function[function];
	if (number > row->parameter_count || (number == row->parameter_count && !row->is_variadic))
		return NODE_EMPTY;
	return points_value_node(points, row->first_parameter + number);
}

uint32_t function_argument_node(struct points *points, uint32_t function, uint32_t number)
{
	uint32_t count = points->whole->function[function].parameter_count;
	return function_parameter_node(points, function, number < count ? number : count);
}

uint32_t function_return_node(struct points *points, uint32_t function)
{
	if (points->functions.return_node[function] == NONE)
		points->functions.return_node[function] = node_new(points);
	return node_find(points, points->functions.return_node[function]);
}

uint32_t call_argument_node(struct points *points, const struct call *call, uint32_t number)
{
	return points_value_node(
		points, whole_operand(points->whole, &points->whole->instruction[call->instruction], number + 1));
}

static void link(struct points *points, uint32_t from, uint32_t to)
{
	if (from != NODE_EMPTY && from != NONE && to != NODE_EMPTY && to != NONE)
		node_add_edge(points, from, to);
}

static uint32_t argument_count(struct points *points, const struct call *call)
{
	return points->whole->instruction[call->instruction].operand_count - 1;
}

/* ---- functions that are defined ---- */

static void pass_arguments(struct points *points, uint32_t call, uint32_t function)
{
	const struct whole_function row = points->whole->function[function];
	uint32_t count = argument_count(points, &points->calls.rows[call]);
	for (uint32_t i = 0; i < count && (i < row.parameter_count || row.is_variadic); i++) {
		uint32_t argument = call_argument_node(points, &points->calls.rows[call], i);
		if (argument != NODE_EMPTY)
			link(points, argument, function_argument_node(points, function, i));
	}
}

static void call_defined(struct points *points, uint32_t call, uint32_t function)
{
	points_reach(points, function);
	pass_arguments(points, call, function);
	if (points->wrappers.rows[function].is_wrapper && !points->wrappers.rows[function].is_failed) {
		wrapper_call(points, call, function);
		return;
	}
	wrapper_fail(points, call);
	if (points->calls.rows[call].result != NONE)
		link(points, function_return_node(points, function), points->calls.rows[call].result);
}

/* ---- the outside ---- */

void function_expose(struct points *points, uint32_t function)
{
	if (!set_add(&points->outside.functions, function))
		return;
	const struct whole_function row = points->whole->function[function];
	if (!row.is_defined)
		return;
	points_reach(points, function);
	wrapper_expose(points, function);
	for (uint32_t i = 0; i < row.parameter_count + row.is_variadic; i++)
		link(points, points->outside.node, function_parameter_node(points, function, i));
	link(points, function_return_node(points, function), points->outside.node);
}

void outside_see_cell(struct points *points, uint32_t cell)
{
	uint32_t object = points->cells.rows[cell].object;
	struct whole_object row = points->whole->object[object];
	if (!object || cell_target(points, object)->is_outside)
		return;
	cell_target(points, object)->is_outside = true;
	if (row.kind != WHOLE_CODE) {
		struct cell anywhere = cell_anywhere_row(points, object);
		node_add_cell(points, points->outside.node, cell_anywhere(points, object));
		link(points, points->outside.node, anywhere.in);
		link(points, anywhere.out, points->outside.node);
		return;
	}
	if (object == points->crowd.object)
		crowd_expose(points);
	else
		function_expose(points, row.function);
}

void call_outside(struct points *points, uint32_t call)
{
	if (points->calls.rows[call].is_unknown)
		return;
	points->calls.rows[call].is_unknown = true;
	wrapper_fail(points, call);
	uint32_t count = argument_count(points, &points->calls.rows[call]);
	for (uint32_t i = 0; i < count; i++)
		link(points, call_argument_node(points, &points->calls.rows[call], i), points->outside.node);
	link(points, points->outside.node, points->calls.rows[call].result);
}

static void call_unknown(struct points *points, uint32_t call, uint32_t function)
{
	call_outside(points, call);
	if (points->functions.is_gap[function])
		return;
	points->functions.is_gap[function] = 1;
	points->functions.gap_count++;
	const struct whole_instruction *at = &points->whole->instruction[points->calls.rows[call].instruction];
	whole_add_gap(points->whole, WHOLE_GAP_EXTERNAL, at->function, at->place,
		      points->whole->function[function].name);
}

/* ---- models ---- */

static uint32_t model_node(struct points *points, uint32_t call, int number)
{
	if (number == MODEL_AT_KEY)
		return points->places.nodes[MODEL_PLACE_KEY];
	if (number == MODEL_RETURN)
		return points->calls.rows[call].result == NONE ? NODE_EMPTY : points->calls.rows[call].result;
	if (number < 0 || (uint32_t)number >= argument_count(points, &points->calls.rows[call]))
		return NODE_EMPTY;
	return call_argument_node(points, &points->calls.rows[call], (uint32_t)number);
}

static uint32_t loaded(struct points *points, uint32_t from)
{
	uint32_t to = node_new(points);
	node_add_constraint(points, from, (struct constraint){ CONSTRAINT_LOAD, to, POINTER_BYTES, 0 });
	return to;
}

static void store(struct points *points, uint32_t to, uint32_t from)
{
	if (to != NODE_EMPTY && from != NODE_EMPTY)
		node_add_constraint(points, to, (struct constraint){ CONSTRAINT_STORE, from, POINTER_BYTES, 0 });
}

static uint32_t add_callback(struct points *points, uint32_t function_node, struct callback callback)
{
	uint32_t index = points->places.callback_count;
	points->places.callbacks = points_grow(points->places.callbacks, index, &points->places.callback_room,
					       sizeof *points->places.callbacks);
	points->places.callbacks[points->places.callback_count++] = callback;
	if (function_node != NODE_EMPTY)
		node_add_constraint(points, function_node, (struct constraint){ CONSTRAINT_CALLBACK, index, 0, 0 });
	return index;
}

void callback_from(struct points *points, uint32_t node, uint8_t place)
{
	struct callback callback = { .kind = CALLBACK_LATER, .place = place, .node = NONE, .result = NONE };
	add_callback(points, node, callback);
}

void callback_resolve(struct points *points, uint32_t index, uint32_t function)
{
	struct callback callback = points->places.callbacks[index];
	struct call *call = points->calls.rows ? &points->calls.rows[callback.call] : NULL;
	if (callback.kind == CALLBACK_LATER)
		set_add(&points->places.functions[callback.place], function);
	else
		set_add(callback.kind == CALLBACK_NOW ? &call->callbacks : &call->routines, function);
	if (!points->whole->function[function].is_defined) {
		const struct model *model = model_find(points->whole->function[function].name);
		if (model && model->steps[0].flow == MODEL_RUN)
			call->routine_run = model->steps[0].place;
		else if (!model || model->steps[0].flow != MODEL_END)
			link(points, callback.node, points->outside.node);
		return;
	}
	points_reach(points, function);
	wrapper_expose(points, function);
	if (callback.node != NONE)
		link(points, callback.node, function_parameter_node(points, function, callback.parameter));
	uint32_t count = callback.spread ? argument_count(points, call) : 0;
	for (uint32_t i = callback.spread; i < count; i++)
		link(points, call_argument_node(points, &points->calls.rows[callback.call], i),
		     function_parameter_node(points, function, callback.parameter + 1 + i - callback.spread));
	if (callback.result != NONE)
		link(points, function_return_node(points, function), callback.result);
}

static uint32_t behind(struct points *points, uint32_t from, int64_t offset)
{
	uint32_t node = node_new(points);
	node_add_constraint(points, from, (struct constraint){ CONSTRAINT_OFFSET, node, offset, 0 });
	return node;
}

/* An object of the library's own: what is in it leads nowhere else. */
static uint32_t static_cell(struct points *points, uint32_t function, bool is_thread)
{
	uint32_t object = points->places.static_object[function];
	if (object == NONE) {
		object = points->places.static_object[function] =
			whole_add_object(points->whole, is_thread ? WHOLE_THREAD_LOCAL : WHOLE_GLOBAL);
		points->whole->object[object].name = points->whole->function[function].name;
		node_add_cell(points, cell_anywhere_row(points, object).in, cell_anywhere(points, object));
	}
	return cell_at(points, object, 0);
}

/* The siginfo_t that a handler gets. */
static uint32_t information(struct points *points, uint32_t function)
{
	uint32_t node = node_new(points), cell = static_cell(points, function, false);
	node_add_cell(points, node, cell);
	link(points, points->places.nodes[MODEL_PLACE_VALUE],
	     cell_anywhere_row(points, points->cells.rows[cell].object).in);
	return node;
}

static void apply_routine(struct points *points, uint32_t call, uint32_t of, const struct model *model)
{
	uint32_t function = model_node(points, call, model->routine);
	uint32_t argument = model_node(points, call, model->argument);
	if (function != NODE_EMPTY && model->routine_kind == MODEL_IN_MEMORY) {
		function = loaded(points, function);
		argument = information(points, of);
	}
	if (function != NODE_EMPTY && model->routine_kind == MODEL_METHOD) {
		argument = loaded(points, function);
		function = loaded(points, behind(points, loaded(points, argument), METHOD_OFFSET));
	}
	if (function != NODE_EMPTY && model->routine_kind == MODEL_IN_EVENT) {
		if (model->event_bytes)
			function = behind(points, function, model->event_bytes);
		argument = loaded(points, function);
		function = loaded(points, behind(points, function, EVENT_OFFSET));
		link(points, argument, points->places.nodes[MODEL_PLACE_VALUE]);
	}
	struct callback callback = { .kind = CALLBACK_ROUTINE, .call = call, .parameter = model->first_parameter };
	callback.node = argument == NODE_EMPTY ? NONE : argument;
	callback.result = model->sync == MODEL_CREATE ? points->places.thread_results : NONE;
	callback.spread = model->is_spread ? (uint32_t)model->argument + 1 : 0;
	add_callback(points, function, callback);
}

static void apply_block(struct points *points, uint32_t call, const struct model *model, const struct model_step *step)
{
	if (step->flow == MODEL_ALLOCATE && step->to == MODEL_RETURN && model->is_allocator) {
		int moved = -1;
		for (unsigned i = 0; i < MODEL_MOST_STEPS; i++)
			if (model->steps[i].flow == MODEL_MOVE && model->steps[i].to == MODEL_RETURN)
				moved = model->steps[i].from;
		wrapper_allocate(points, call, step->from < 0 ? NONE : (uint32_t)step->from,
				 step->size2 < 0 ? NONE : (uint32_t)step->size2, moved);
		return;
	}
	uint32_t node = node_new(points);
	uint32_t object = wrapper_make(points, call, 0);
	node_add_cell(points, node, cell_at(points, object, 0));
	if (step->flow == MODEL_ALLOCATE_LINKED) {
		struct cell anywhere = cell_anywhere_row(points, object);
		node_add_cell(points, anywhere.in, cell_at(points, object, 0));
	}
	uint32_t to = model_node(points, call, step->to);
	if (step->place && to != NODE_EMPTY)
		to = behind(points, to, step->place * POINTER_BYTES);
	if (step->flow != MODEL_ALLOCATE)
		store(points, to, node);
	else
		link(points, node, model_node(points, call, step->to));
}

static uint32_t inside(struct points *points, uint32_t from)
{
	uint32_t node = node_new(points);
	if (from != NODE_EMPTY)
		node_add_constraint(points, from, (struct constraint){ CONSTRAINT_INSIDE, node, 0, 0 });
	return node;
}

static void apply_callback(struct points *points, uint32_t call, const struct model_step *step)
{
	uint32_t node = model_node(points, call, step->from);
	if (step->flow == MODEL_CALL_INSIDE && node != NODE_EMPTY)
		node = inside(points, node);
	if (step->flow == MODEL_CALL_CONTENTS && node != NODE_EMPTY)
		node = loaded(points, node);
	struct callback callback = { .kind = step->flow == MODEL_LATER ? CALLBACK_LATER : CALLBACK_NOW, .call = call };
	callback.place = step->place;
	callback.parameter = (uint32_t)(step->size2 < 0 ? 0 : step->size2);
	callback.node = node == NODE_EMPTY ? NONE : node;
	callback.result = NONE;
	add_callback(points, model_node(points, call, step->to), callback);
}

static void apply_contents(struct points *points, uint32_t to, uint32_t from, bool is_mixed)
{
	if (to == NODE_EMPTY || from == NODE_EMPTY)
		return;
	uint32_t number = is_mixed ? node_new(points) : move_new(points, 0);
	node_add_constraint(points, to,
			    (struct constraint){ is_mixed ? CONSTRAINT_MIX_IN : CONSTRAINT_IN, number, 0, 0 });
	node_add_constraint(points, from,
			    (struct constraint){ is_mixed ? CONSTRAINT_MIX_OUT : CONSTRAINT_OUT, number, 0, 0 });
}

/* Nodes of a list or tree: what they and all that can be reached by their links point to may be any of them. */
static void apply_link(struct points *points, uint32_t call, const struct model_step *step)
{
	uint32_t all = node_new(points);
	link(points, model_node(points, call, step->to), all);
	link(points, model_node(points, call, step->from), all);
	link(points, model_node(points, call, step->size2), all);
	for (unsigned i = 0; i < 8; i++) {
		if (!(step->place >> i & 1))
			continue;
		uint32_t field = behind(points, all, i * POINTER_BYTES);
		node_add_constraint(points, field, (struct constraint){ CONSTRAINT_LOAD, all, POINTER_BYTES, 0 });
		node_add_constraint(points, field, (struct constraint){ CONSTRAINT_STORE, all, POINTER_BYTES, 0 });
	}
	link(points, all, model_node(points, call, MODEL_RETURN));
}

/* Between a place and the contents of what an argument points to. */
static void apply_place(struct points *points, uint32_t node, uint32_t place, bool is_put)
{
	if (node == NODE_EMPTY)
		return;
	uint32_t kind = is_put ? CONSTRAINT_MIX_OUT : CONSTRAINT_MIX_IN;
	node_add_constraint(points, node, (struct constraint){ kind, points->places.nodes[place], 0, 0 });
}

static void scatter(struct points *points, uint32_t to, uint32_t from)
{
	if (to == NODE_EMPTY || from == NODE_EMPTY)
		return;
	uint32_t node = inside(points, from);
	link(points, from, node);
	node_add_constraint(points, to, (struct constraint){ CONSTRAINT_MIX_IN, node, 0, 0 });
}

static void apply_step(struct points *points, uint32_t call, uint32_t function, const struct model *model,
		       const struct model_step *step)
{
	uint32_t to = model_node(points, call, step->to), from = model_node(points, call, step->from);
	switch (step->flow) {
	case MODEL_COPY:
		link(points, from, to);
		break;
	case MODEL_COPY_INSIDE:
		if (to != NODE_EMPTY && from != NODE_EMPTY)
			node_add_constraint(points, from, (struct constraint){ CONSTRAINT_INSIDE, to, 0, 0 });
		break;
	case MODEL_LOAD:
		if (to != NODE_EMPTY && from != NODE_EMPTY)
			node_add_constraint(points, from, (struct constraint){ CONSTRAINT_LOAD, to, POINTER_BYTES, 0 });
		break;
	case MODEL_STORE:
		if (step->place && to != NODE_EMPTY)
			to = behind(points, to, step->place * POINTER_BYTES);
		store(points, to, from);
		break;
	case MODEL_STORE_INSIDE:
		store(points, to, inside(points, from));
		break;
	case MODEL_ADVANCE:
		if (to != NODE_EMPTY)
			store(points, to, inside(points, loaded(points, to)));
		break;
	case MODEL_SCATTER:
		scatter(points, to, from);
		break;
	case MODEL_MOVE:
		/* What a realloc moves is up to wrapper_allocate. */
		if (!model->is_allocator || step->to != MODEL_RETURN)
			apply_contents(points, to, from, false);
		break;
	case MODEL_MIX:
		apply_contents(points, to, from, true);
		break;
	case MODEL_ALLOCATE:
	case MODEL_ALLOCATE_INTO:
	case MODEL_ALLOCATE_LINKED:
		apply_block(points, call, model, step);
		break;
	case MODEL_STATIC:
	case MODEL_STATIC_THREAD:
		if (to != NODE_EMPTY)
			node_add_cell(points, to, static_cell(points, function, step->flow == MODEL_STATIC_THREAD));
		break;
	case MODEL_CALL:
	case MODEL_CALL_INSIDE:
	case MODEL_CALL_CONTENTS:
	case MODEL_LATER:
		apply_callback(points, call, step);
		break;
	case MODEL_RUN:
		points->calls.rows[call].run = step->place;
		break;
	case MODEL_KEEP:
		link(points, from, points->outside.node);
		break;
	case MODEL_OUTSIDE:
		link(points, points->outside.node, to);
		break;
	case MODEL_PUT:
		link(points, from, points->places.nodes[step->place]);
		break;
	case MODEL_PUT_INSIDE:
		apply_place(points, from, step->place, true);
		break;
	case MODEL_GET_INSIDE:
		apply_place(points, to, step->place, false);
		break;
	case MODEL_LINK:
		apply_link(points, call, step);
		break;
	case MODEL_GET:
		link(points, points->places.nodes[step->place], to);
		break;
	}
}

static void call_modelled(struct points *points, uint32_t call, uint32_t function, const struct model *model)
{
	if (!model->is_allocator)
		wrapper_fail(points, call);
	for (unsigned i = 0; i < MODEL_MOST_STEPS && model->steps[i].flow != MODEL_END; i++)
		apply_step(points, call, function, model, &model->steps[i]);
	if (model->sync == MODEL_CREATE || model->sync == MODEL_PARALLEL || model->sync == MODEL_AT_EXIT ||
	    model->sync == MODEL_HANDLER || model->sync == MODEL_ONCE)
		apply_routine(points, call, function, model);
	if (model->sync == MODEL_JOIN || model->sync == MODEL_JOIN_TRY)
		store(points, model_node(points, call, model->argument), points->places.thread_results);
	if (model->sync == MODEL_EXIT_THREAD)
		link(points, model_node(points, call, model->argument), points->places.thread_results);
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

uint32_t function_used(struct points *points, uint32_t function)
{
	if (points->functions.used[function] == NONE)
		points->functions.used[function] =
			points->whole->function[function].is_defined ? count_used(points->whole, function) : 0;
	return points->functions.used[function];
}

bool call_fits(struct points *points, uint32_t call, uint32_t function)
{
	return function_used(points, function) <= argument_count(points, &points->calls.rows[call]);
}

void call_resolve(struct points *points, uint32_t call, uint32_t function)
{
	if (!set_add(&points->calls.rows[call].callees, function))
		return;
	if (points->whole->function[function].is_defined) {
		call_defined(points, call, function);
		return;
	}
	const struct model *model = model_find(points->whole->function[function].name);
	if (model)
		call_modelled(points, call, function, model);
	else
		call_unknown(points, call, function);
}
