/*
 * modelled.c: calls of functions that have a model. They do what the steps of their row say: with the call's arguments and
 * result, and with *places*, which are in no object of the program. A function that was put into a place may be called by
 * a later call that runs the place, and a pointer that was put there may be what a later call gets from it.
 */
#include "analysis/points/modelled.h"

#include <stdlib.h>

#include "analysis/points/solver.h"

enum { POINTER_BYTES = 8, METHOD_OFFSET = 16, EVENT_OFFSET = 16 };

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
	if (number < 0 || (uint32_t)number >= call_argument_count(solver->whole, &solver->calls.rows[call]))
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
			node_link(&solver->nodes, callback.node, solver->outside.node);
		return;
	}
	reach_function(&solver->reach, solver->whole, function);
	wrapper_expose(solver, function);
	if (callback.node != NONE)
		node_link(&solver->nodes, callback.node, function_parameter_node(solver, function, callback.parameter));
	uint32_t count = callback.spread ? call_argument_count(solver->whole, call) : 0;
	for (uint32_t i = callback.spread; i < count; i++)
		node_link(&solver->nodes, call_argument_node(solver, &solver->calls.rows[callback.call], i),
			  function_parameter_node(solver, function, callback.parameter + 1 + i - callback.spread));
	if (callback.result != NONE)
		node_link(&solver->nodes, function_return_node(&solver->functions, &solver->nodes, function),
			  callback.result);
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
	node_link(&solver->nodes, solver->places.nodes[MODEL_PLACE_VALUE],
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
		node_link(&solver->nodes, argument, solver->places.nodes[MODEL_PLACE_VALUE]);
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
		for (unsigned i = 0; i < MODEL_MAX_STEPS; i++)
			if (model->steps[i].flow == MODEL_MOVE && model->steps[i].to == MODEL_RETURN)
				moved = model->steps[i].from;
		wrapper_allocate(solver, call, step->from < 0 ? NONE : (uint32_t)step->from,
				 step->size2 < 0 ? NONE : (uint32_t)step->size2, moved);
		return;
	}
	uint32_t node = node_new(&solver->nodes);
	uint32_t object = wrapper_make(&solver->calls, solver->whole, call, 0);
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
		node_link(&solver->nodes, node, model_node(solver, call, step->to));
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
	node_link(&solver->nodes, model_node(solver, call, step->to), all);
	node_link(&solver->nodes, model_node(solver, call, step->from), all);
	node_link(&solver->nodes, model_node(solver, call, step->size2), all);
	for (unsigned i = 0; i < 8; i++) {
		if (!(step->place >> i & 1))
			continue;
		uint32_t field = behind(solver, all, i * POINTER_BYTES);
		node_add_constraint(solver, field, (struct constraint){ CONSTRAINT_LOAD, all, POINTER_BYTES, 0 });
		node_add_constraint(solver, field, (struct constraint){ CONSTRAINT_STORE, all, POINTER_BYTES, 0 });
	}
	node_link(&solver->nodes, all, model_node(solver, call, MODEL_RETURN));
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
	node_link(&solver->nodes, from, node);
	node_add_constraint(solver, to, (struct constraint){ CONSTRAINT_MIX_IN, node, 0, 0 });
}

static void apply_step(struct solver *solver, uint32_t call, uint32_t function, const struct model *model,
		       const struct model_step *step)
{
	uint32_t to = model_node(solver, call, step->to), from = model_node(solver, call, step->from);
	switch (step->flow) {
	case MODEL_COPY:
		node_link(&solver->nodes, from, to);
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
		node_link(&solver->nodes, from, solver->outside.node);
		break;
	case MODEL_OUTSIDE:
		node_link(&solver->nodes, solver->outside.node, to);
		break;
	case MODEL_PUT:
		node_link(&solver->nodes, from, solver->places.nodes[step->place]);
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
		node_link(&solver->nodes, solver->places.nodes[step->place], to);
		break;
	}
}

void modelled_call(struct solver *solver, uint32_t call, uint32_t function, const struct model *model)
{
	if (!model->is_allocator)
		wrapper_fail(solver, call);
	for (unsigned i = 0; i < MODEL_MAX_STEPS && model->steps[i].flow != MODEL_END; i++)
		apply_step(solver, call, function, model, &model->steps[i]);
	if (model->sync == MODEL_CREATE || model->sync == MODEL_PARALLEL || model->sync == MODEL_AT_EXIT ||
	    model->sync == MODEL_HANDLER || model->sync == MODEL_ONCE)
		apply_routine(solver, call, function, model);
	if (model->sync == MODEL_JOIN || model->sync == MODEL_JOIN_TRY)
		store(solver, model_node(solver, call, model->argument), solver->places.thread_results);
	if (model->sync == MODEL_EXIT_THREAD)
		node_link(&solver->nodes, model_node(solver, call, model->argument), solver->places.thread_results);
}
