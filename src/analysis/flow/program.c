/*
 * program.c: the calls of a program with what is known of each, its control flow, and which loops ask a library again and again.
 * Input: the program and its points-to sets. Result: struct flow_program.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/program.h"
#include "base/mem.h"
#include "base/word.h"

/* ---- calls ---- */

uint32_t flow_argument(const struct flow_program *program, uint32_t instruction, int number)
{
	if (number < 0)
		return WHOLE_NONE;
	return whole_operand(program->whole, &program->whole->instruction[instruction], (uint32_t)number + 1);
}

bool flow_is_in_cycle(const struct flow_program *program, uint32_t instruction)
{
	const struct whole_instruction *row = &program->whole->instruction[instruction];
	return program->bodies[row->function]
		.is_in_cycle[row->block - program->whole->function[row->function].first_block];
}

/* Those of a model run on another thread, or later; where they begin is found by analysis/flow/threads.c. */
static bool calls_elsewhere(const struct model *model)
{
	return model && (model->sync == MODEL_CREATE || model->sync == MODEL_PARALLEL || model->sync == MODEL_HANDLER ||
			 model->sync == MODEL_AT_EXIT);
}

static void add_targets(struct flow_program *program, struct flow_call *call, struct points_set set)
{
	for (uint32_t i = 0; i < set.count; i++) {
		uint32_t function = set.items[i], known = 0;
		if (!program->whole->function[function].is_defined)
			continue;
		while (known < call->target_count && program->targets.items[call->first_target + known] != function)
			known++;
		if (known < call->target_count)
			continue;
		flow_ids_add(&program->targets, function);
		call->target_count++;
	}
}

/* A function that may be called again and again until it says something else. That of streams is no lock to the models: which
 * stream it is is not known well enough. */
static bool is_polling(const struct model *model, const char *name)
{
	return !model || model->sync == MODEL_TRY_LOCK || model->sync == MODEL_TRY_LOCK_SHARED ||
	       model->sync == MODEL_JOIN_TRY || strcmp(name, "ftrylockfile") == 0;
}

/* A function that ends the program, or the thread, as exit does. */
static bool runs_exit_handlers(const char *name)
{
	static const char *const names[] = { "exit", "quick_exit", "err", "errx", "verr", "verrx", "thrd_exit", NULL };
	return word_is_among(name, names);
}

static bool returns_again(const struct whole *whole, uint32_t instruction)
{
	uint32_t callee = whole_direct_callee(whole, &whole->instruction[instruction]);
	return callee != WHOLE_NONE && !whole->function[callee].is_defined &&
	       strstr(whole->function[callee].name, "setjmp");
}

static void add_call(struct flow_program *program, uint32_t instruction)
{
	struct flow_call call = { .instruction = instruction, .first_target = program->targets.count };
	struct points_set callees = points_callees(program->points, instruction);
	uint32_t models = 0, outside = 0, last = 0;
	for (uint32_t i = 0; i < callees.count; i++) {
		if (program->whole->function[callees.items[i]].is_defined)
			continue;
		outside++;
		const struct model *model = program->models[callees.items[i]];
		call.is_polling |= is_polling(model, program->whole->function[callees.items[i]].name);
		if (!model || model->sync == MODEL_SYNC_NONE)
			continue;
		if (!models++) {
			call.model = model;
			call.name = program->whole->function[callees.items[i]].name;
		}
		if (call.model->sync != model->sync)
			call.is_wild = true;
		last += model->sync == MODEL_NO_RETURN || model->sync == MODEL_EXIT_THREAD;
	}
	add_targets(program, &call, callees);
	if (!calls_elsewhere(call.model))
		add_targets(program, &call, points_callbacks(program->points, instruction));
	if (call.model && call.model->sync == MODEL_ONCE)
		add_targets(program, &call, points_routines(program->points, instruction));
	call.may_skip = outside != 0;
	call.is_certain = callees.count == 1 && models == 1;
	call.is_last = callees.count && last == callees.count;
	call.runs_exit_handlers = runs_exit_handlers(call.name);
	call.returns_again = returns_again(program->whole, instruction);
	call.may_throw = program->whole->instruction[instruction].is_invoke;
	program->calls = flow_grow(program->calls, program->call_count, &program->call_room, sizeof *program->calls);
	program->call_of[instruction] = program->call_count;
	program->calls[program->call_count++] = call;
}

/* ---- control flow ---- */

static void find_polling(const struct flow_program *program, struct flow_body *body, const uint32_t *component)
{
	uint32_t count = body->graph.node_count;
	bool *polls = mem_alloc((size_t)count + 1);
	for (uint32_t b = 0; b < count; b++)
		for (uint32_t c = body->first_call[b]; c < body->first_call[b + 1]; c++)
			polls[component[b]] |= program->calls[c].is_polling;
	for (uint32_t b = 0; b < count; b++)
		body->is_polling[b] = body->is_in_cycle[b] && polls[component[b]];
	free(polls);
}

static void add_body(struct flow_program *program, uint32_t index)
{
	const struct whole *whole = program->whole;
	const struct whole_function *function = &whole->function[index];
	struct flow_body *body = &program->bodies[index];
	uint32_t count = function->block_count, edges = 0;
	body->graph.node_count = count;
	body->graph.first = mem_alloc(((size_t)count + 1) * sizeof(uint32_t));
	for (uint32_t b = 0; b < count; b++)
		edges += whole->block[function->first_block + b].successor_count;
	body->graph.targets = mem_alloc(((size_t)edges + 1) * sizeof(uint32_t));
	body->first_call = mem_alloc(((size_t)count + 1) * sizeof(uint32_t));
	edges = 0;
	for (uint32_t b = 0; b < count; b++) {
		const struct whole_block *block = &whole->block[function->first_block + b];
		body->graph.first[b] = edges;
		for (uint32_t s = 0; s < block->successor_count; s++)
			body->graph.targets[edges++] =
				whole->successors[block->first_successor + s] - function->first_block;
		body->first_call[b] = program->call_count;
		for (uint32_t i = 0; i < block->instruction_count; i++)
			if (whole->instruction[block->first_instruction + i].op == WHOLE_CALL)
				add_call(program, block->first_instruction + i);
	}
	body->graph.first[count] = edges;
	body->first_call[count] = program->call_count;
	body->order = mem_alloc(((size_t)count + 1) * sizeof(uint32_t));
	body->is_in_cycle = mem_alloc((size_t)count + 1);
	body->is_polling = mem_alloc((size_t)count + 1);
	if (!count)
		return;
	body->reached = graph_order(&body->graph, 0, body->order);
	uint32_t *component = mem_alloc(count * sizeof(uint32_t));
	bool *is_cycle = mem_alloc(count);
	graph_components(&body->graph, component, is_cycle);
	for (uint32_t b = 0; b < count; b++)
		body->is_in_cycle[b] = is_cycle[component[b]];
	free(component);
	free(is_cycle);
}

/* ---- loops that ask ---- */

/* A function asks when one that it calls does. */
static void spread_polling(struct flow_program *program, bool *polls)
{
	const struct whole *whole = program->whole;
	struct flow_ids todo = { 0 };
	for (uint32_t c = 0; c < program->call_count; c++) {
		uint32_t function = whole->instruction[program->calls[c].instruction].function;
		if (program->calls[c].is_polling && !polls[function]) {
			polls[function] = true;
			flow_ids_add(&todo, function);
		}
	}
	for (uint32_t i = 0; i < todo.count; i++) {
		const struct flow_ids *callers = &program->callers[todo.items[i]];
		for (uint32_t k = 0; k < callers->count; k++) {
			struct flow_call *call = &program->calls[callers->items[k]];
			uint32_t function = whole->instruction[call->instruction].function;
			call->is_polling = true;
			if (polls[function])
				continue;
			polls[function] = true;
			flow_ids_add(&todo, function);
		}
	}
	flow_ids_release(&todo);
}

/* Adds the functions that ask and are called there. */
static void add_asked(const struct flow_program *program, uint32_t block, const struct flow_body *body,
		      const bool *polls, struct flow_ids *asked)
{
	for (uint32_t c = body->first_call[block]; c < body->first_call[block + 1]; c++)
		for (uint32_t t = 0; program->calls[c].is_polling && t < program->calls[c].target_count; t++) {
			uint32_t target = program->targets.items[program->calls[c].first_target + t];
			if (polls[target])
				flow_ids_add(asked, target);
		}
}

static void find_polling_all(struct flow_program *program)
{
	uint32_t functions = program->whole->function_count;
	bool *polls = mem_alloc((size_t)functions + 1), *is_done = mem_alloc((size_t)functions + 1);
	struct flow_ids asked = { 0 };
	spread_polling(program, polls);
	for (uint32_t f = 0; f < functions; f++) {
		struct flow_body *body = &program->bodies[f];
		uint32_t count = body->graph.node_count;
		if (!polls[f] || !count)
			continue;
		uint32_t *component = mem_alloc(count * sizeof(uint32_t));
		bool *is_cycle = mem_alloc(count);
		graph_components(&body->graph, component, is_cycle);
		find_polling(program, body, component);
		for (uint32_t b = 0; b < count; b++)
			if (body->is_polling[b])
				add_asked(program, b, body, polls, &asked);
		free(component);
		free(is_cycle);
	}
	/* What is asked in a loop may be all that the loop touches. */
	for (uint32_t i = 0; i < asked.count; i++) {
		struct flow_body *body = &program->bodies[asked.items[i]];
		if (is_done[asked.items[i]])
			continue;
		is_done[asked.items[i]] = true;
		for (uint32_t b = 0; b < body->graph.node_count; b++) {
			body->is_polling[b] = true;
			add_asked(program, b, body, polls, &asked);
		}
	}
	flow_ids_release(&asked);
	free(polls);
	free(is_done);
}

/* Functions in an order in which callees come first, but for recursion. */
static void order_functions(struct flow_program *program)
{
	const struct whole *whole = program->whole;
	uint32_t count = whole->function_count, edges = 0, components;
	struct graph graph = { .node_count = count, .first = mem_alloc(((size_t)count + 1) * sizeof(uint32_t)) };
	graph.targets = mem_alloc(((size_t)program->targets.count + 1) * sizeof(uint32_t));
	for (uint32_t f = 0; f < count; f++) {
		const struct flow_body *body = &program->bodies[f];
		graph.first[f] = edges;
		if (!body->first_call)
			continue;
		for (uint32_t c = body->first_call[0]; c < body->first_call[body->graph.node_count]; c++)
			for (uint32_t t = 0; t < program->calls[c].target_count; t++)
				graph.targets[edges++] = program->targets.items[program->calls[c].first_target + t];
	}
	graph.first[count] = edges;
	program->component = mem_alloc(((size_t)count + 1) * sizeof(uint32_t));
	program->is_recursive = mem_alloc((size_t)count + 1);
	components = graph_components(&graph, program->component, program->is_recursive);
	/* By counting: functions of component 0, of 1, ... */
	uint32_t *first = mem_alloc(((size_t)components + 1) * sizeof *first);
	for (uint32_t f = 0; f < count; f++)
		first[program->component[f] + 1]++;
	for (uint32_t c = 0; c < components; c++)
		first[c + 1] += first[c];
	uint32_t *sorted = mem_alloc(((size_t)count + 1) * sizeof *sorted);
	for (uint32_t f = 0; f < count; f++)
		sorted[first[program->component[f]]++] = f;
	for (uint32_t i = 0; i < count; i++)
		if (whole->function[sorted[i]].is_defined)
			flow_ids_add(&program->bottom_up, sorted[i]);
	free(first);
	free(sorted);
	graph_release(&graph);
}

static void take_address(struct flow_program *program, uint32_t value)
{
	const struct whole_value *row = &program->whole->value[value];
	if (row->kind == WHOLE_ADDRESS && program->whole->object[row->index].kind == WHOLE_CODE)
		program->is_address_taken[program->whole->object[row->index].function] = true;
}

static void find_addresses_taken(struct flow_program *program)
{
	const struct whole *whole = program->whole;
	for (uint32_t i = 0; i < whole->initial_count; i++)
		take_address(program, whole->initial[i].value);
	for (uint32_t i = 0; i < whole->instruction_count; i++) {
		const struct whole_instruction *row = &whole->instruction[i];
		for (uint32_t o = row->op == WHOLE_CALL; o < row->operand_count; o++)
			take_address(program, whole->operands[row->first_operand + o]);
	}
}

/* What code that is not analysed can reach, it can write. */
static void find_outside(struct flow_program *program)
{
	uint32_t count = points_location_count(program->points);
	program->is_outside[0] = true;
	for (uint32_t l = 0; l < count; l++) {
		if (points_location(program->points, l).object != 0)
			continue;
		struct points_set set = points_of_location(program->points, l);
		for (uint32_t i = 0; i < set.count; i++)
			program->is_outside[points_location(program->points, set.items[i]).object] = true;
	}
}

void flow_program_init(const struct whole *whole, const struct points *points, struct flow_program *program)
{
	size_t functions = (size_t)whole->function_count + 1;
	program->whole = whole;
	program->points = points;
	program->bodies = mem_alloc(functions * sizeof *program->bodies);
	program->models = mem_alloc(functions * sizeof *program->models);
	program->callers = mem_alloc(functions * sizeof *program->callers);
	program->call_of = mem_alloc(((size_t)whole->instruction_count + 1) * sizeof *program->call_of);
	program->is_address_taken = mem_alloc(functions);
	program->is_outside = mem_alloc((size_t)whole->object_count + 1);
	for (uint32_t f = 0; f < whole->function_count; f++)
		if (!whole->function[f].is_defined)
			program->models[f] = model_find(whole->function[f].name);
	for (uint32_t f = 0; f < whole->function_count; f++)
		if (whole->function[f].is_defined)
			add_body(program, f);
	for (uint32_t c = 0; c < program->call_count; c++)
		for (uint32_t t = 0; t < program->calls[c].target_count; t++)
			flow_ids_add(&program->callers[program->targets.items[program->calls[c].first_target + t]], c);
	order_functions(program);
	find_polling_all(program);
	find_addresses_taken(program);
	find_outside(program);
}

void flow_program_release(struct flow_program *program)
{
	for (uint32_t f = 0; program->bodies && f < program->whole->function_count; f++) {
		graph_release(&program->bodies[f].graph);
		free(program->bodies[f].order);
		free(program->bodies[f].is_in_cycle);
		free(program->bodies[f].is_polling);
		free(program->bodies[f].first_call);
		flow_ids_release(&program->callers[f]);
	}
	free(program->bodies);
	free(program->models);
	free(program->callers);
	free(program->calls);
	free(program->call_of);
	free(program->is_address_taken);
	free(program->is_outside);
	free(program->component);
	free(program->is_recursive);
	flow_ids_release(&program->targets);
	flow_ids_release(&program->bottom_up);
}

void flow_code(const struct flow_program *program, uint32_t value, struct flow_ids *functions)
{
	struct points_set set = points_of_value(program->points, value);
	for (uint32_t i = 0; i < set.count; i++) {
		const struct whole_object *object =
			&program->whole->object[points_location(program->points, set.items[i]).object];
		if (object->kind == WHOLE_CODE && program->whole->function[object->function].is_defined)
			flow_ids_add_new(functions, object->function);
	}
}
