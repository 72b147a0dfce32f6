/*
 * threads.c: where threads begin. Each call that starts threads, with each function that it may start, is a root. When
 * such a call is in a function that was given the routine or the place for the handle, the callers of that function are
 * distinguished instead: they know what runs, and where the handle is.
 * Input: struct flow_program. Result: struct flow_threads.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/program.h"
#include "analysis/flow/threads.h"
#include "base/mem.h"

/* How many callers up the start of a thread is followed, and how many such places there may be. */
enum { MAX_WRAPPERS = 4, MAX_CREATES = 4096 };

/* When there would be more roots than that, those of places that do not know what they start become one for each function; when
 * there still are, all do. */
enum { MAX_ROOTS = 192, MAX_FOREIGN = 64 };

/* Destructors of thread-specific data and cleanup handlers run when a thread ends, the others when the program does. */
static bool is_of_thread(const struct flow_call *call)
{
	return strstr(call->name, "thread_atexit") || strstr(call->name, "key") || strstr(call->name, "cleanup") ||
	       strstr(call->name, "tss");
}

static bool starts_threads(const struct model *model)
{
	return model && (model->sync == MODEL_CREATE || model->sync == MODEL_PARALLEL || model->sync == MODEL_HANDLER);
}

static void routines(const struct flow_program *program, uint32_t call, struct flow_ids *functions)
{
	struct points_set set = points_routines(program->points, call);
	for (uint32_t i = 0; i < set.count; i++)
		if (program->whole->function[set.items[i]].is_defined)
			flow_ids_add_new(functions, set.items[i]);
}

/* The same, where the call itself shows more than what pointers may point to. */
static void find_routines(const struct flow_program *program, uint32_t call, struct flow_ids *functions)
{
	const struct model *model = program->calls[flow_call_at(program, call)].model;
	if (!model || model->routine_kind != MODEL_METHOD ||
	    !flow_state_routines(program, call, model->routine, functions))
		routines(program, call, functions);
}

/* ---- what is reached ---- */

struct reach {
	const struct flow_program *program;
	struct flow_threads *threads;
	struct flow_ids todo;
	bool *is_reached;
	bool crosses_threads;
};

static void reach_function(struct reach *reach, uint32_t function)
{
	if (reach->is_reached[function] || !reach->program->whole->function[function].is_defined)
		return;
	reach->is_reached[function] = true;
	flow_ids_add(&reach->todo, function);
}

static void reach_routines(struct reach *reach, const struct flow_call *call)
{
	struct flow_threads *threads = reach->threads;
	struct flow_ids found = { 0 };
	find_routines(reach->program, call->instruction, &found);
	for (uint32_t i = 0; i < found.count; i++) {
		reach_function(reach, found.items[i]);
		if (call->model->sync == MODEL_AT_EXIT)
			flow_ids_add_new(is_of_thread(call) ? &threads->thread_end_functions : &threads->last_functions,
					 found.items[i]);
	}
	flow_ids_release(&found);
}

static void reach_all(struct reach *reach)
{
	const struct flow_program *program = reach->program;
	while (reach->todo.count) {
		const struct flow_body *body = &program->bodies[reach->todo.items[--reach->todo.count]];
		for (uint32_t c = body->first_call[0]; c < body->first_call[body->graph.node_count]; c++) {
			const struct flow_call *call = &program->calls[c];
			for (uint32_t t = 0; t < call->target_count; t++)
				reach_function(reach, program->targets.items[call->first_target + t]);
			if (reach->crosses_threads && call->model &&
			    (starts_threads(call->model) || call->model->sync == MODEL_AT_EXIT))
				reach_routines(reach, call);
		}
	}
}

static void find_first(const struct flow_program *program, struct flow_threads *threads)
{
	const struct whole *whole = program->whole;
	for (uint32_t f = 0; f < whole->function_count; f++) {
		const struct whole_function *function = &whole->function[f];
		if (!function->is_defined)
			continue;
		if (whole->is_library && (function->is_exported || function->is_constructor || function->is_destructor))
			flow_ids_add(&threads->exported_functions, f);
		else if (function->is_constructor)
			flow_ids_add(&threads->first_functions, f);
		else if (function->is_destructor)
			flow_ids_add(&threads->last_functions, f);
	}
	uint32_t first = whole->is_library ? WHOLE_NONE : whole_find_function(whole, "main");
	if (first != WHOLE_NONE)
		flow_ids_add(&threads->first_functions, first);
}

static void find_reached(const struct flow_program *program, struct flow_threads *threads)
{
	struct reach reach = { .program = program, .threads = threads, .crosses_threads = true };
	reach.is_reached = threads->is_reached = mem_alloc((size_t)program->whole->function_count + 1);
	const struct flow_ids *starts[] = { &threads->first_functions, &threads->exported_functions,
					    &threads->last_functions };
	for (size_t s = 0; s < 3; s++)
		for (uint32_t i = 0; i < starts[s]->count; i++)
			reach_function(&reach, starts[s]->items[i]);
	reach_all(&reach);
	flow_ids_release(&reach.todo);
}

/* ---- places that start threads ---- */

struct place {
	struct flow_create create;
	uint32_t routine; /* value, if it came from a caller; else WHOLE_NONE: what the model's call may run */
};

static void add_create(const struct flow_program *program, struct flow_threads *threads, const struct place *place)
{
	/* Functions, until they are known to be roots. */
	struct flow_create create = place->create;
	create.roots = (struct flow_ids){ 0 };
	if (place->routine == WHOLE_NONE)
		find_routines(program, create.inner, &create.roots);
	else
		flow_code(program, place->routine, &create.roots);
	threads->has_threads |= create.roots.count && create.kind != FLOW_HANDLER;
	threads->creates =
		flow_grow(threads->creates, threads->create_count, &threads->create_room, sizeof *threads->creates);
	threads->creates[threads->create_count++] = create;
}

static uint32_t add_root(struct flow_threads *threads, const struct flow_create *create, uint32_t function)
{
	threads->roots = flow_grow(threads->roots, threads->root_count, &threads->root_room, sizeof *threads->roots);
	threads->roots[threads->root_count] =
		(struct flow_root){ .kind = create->kind, .function = function, .call = create->call, .calls = 1 };
	return threads->root_count++;
}

/* The root of that function that all such creates share. */
static uint32_t shared_root(struct flow_threads *threads, const struct flow_create *create, uint32_t function,
			    uint32_t *shared)
{
	uint32_t *known = &shared[(size_t)function * (FLOW_FOREIGN + 1) + create->kind];
	if (!*known)
		*known = add_root(threads, create, function);
	else
		threads->roots[*known].calls++;
	return *known;
}

static void add_roots(const struct flow_program *program, struct flow_threads *threads)
{
	uint64_t all = 0, certain = 0;
	for (uint32_t c = 0; c < threads->create_count; c++) {
		if (threads->creates[c].kind == FLOW_FOREIGN)
			continue;
		all += threads->creates[c].roots.count;
		certain += threads->creates[c].roots.count == 1;
	}
	uint32_t *shared =
		mem_alloc(((size_t)program->whole->function_count + 1) * (FLOW_FOREIGN + 1) * sizeof *shared);
	for (uint32_t c = 0; c < threads->create_count; c++) {
		struct flow_create *create = &threads->creates[c];
		bool is_shared = create->kind == FLOW_FOREIGN ||
				 (all > MAX_ROOTS && (certain > MAX_ROOTS || create->roots.count > 1));
		for (uint32_t i = 0; i < create->roots.count; i++)
			create->roots.items[i] = is_shared
							 ? shared_root(threads, create, create->roots.items[i], shared)
							 : add_root(threads, create, create->roots.items[i]);
	}
	free(shared);
}

/* The number of the parameter that a value is a constant distance from, or WHOLE_NONE. */
static uint32_t parameter_of(const struct flow_program *program, uint32_t value, int64_t *offset)
{
	*offset = 0;
	if (value == WHOLE_NONE)
		return WHOLE_NONE;
	const struct whole_value *base = &program->whole->value[whole_base(program->whole, value, offset)];
	return base->kind == WHOLE_PARAMETER ? base->index : WHOLE_NONE;
}

static bool has_known_callers(const struct flow_program *program, const struct flow_threads *threads, uint32_t function)
{
	if (program->is_address_taken[function] || program->is_recursive[program->component[function]] ||
	    !program->callers[function].count || flow_ids_has(&threads->first_functions, function) ||
	    flow_ids_has(&threads->exported_functions, function))
		return false;
	for (uint32_t i = 0; i < program->callers[function].count; i++) {
		const struct flow_call *call = &program->calls[program->callers[function].items[i]];
		if (whole_direct_callee(program->whole, &program->whole->instruction[call->instruction]) != function)
			return false;
	}
	return true;
}

/* Whether the call is the first round of a loop that starts threads, which the compiler put in front of it. Callers do not tell the others
 * apart, and what runs before the first of them runs before all. */
static bool is_first_round(const struct flow_program *program, uint32_t instruction)
{
	const struct model *model = program->calls[flow_call_at(program, instruction)].model;
	const struct flow_body *body = &program->bodies[program->whole->instruction[instruction].function];
	if (!model || model->sync != MODEL_CREATE || model->routine < 0)
		return false;
	for (uint32_t c = body->first_call[0]; c < body->first_call[body->graph.node_count]; c++) {
		const struct flow_call *call = &program->calls[c];
		if (call->model == model && call->instruction != instruction &&
		    flow_is_in_cycle(program, call->instruction) &&
		    flow_argument(program, call->instruction, model->routine) ==
			    flow_argument(program, instruction, model->routine))
			return true;
	}
	return false;
}

static void lift(const struct flow_program *program, struct flow_threads *threads, const struct place *place,
		 uint32_t at, unsigned depth)
{
	uint32_t function = program->whole->instruction[place->create.call].function;
	int64_t routine_offset, handle_offset;
	uint32_t routine = parameter_of(program, at, &routine_offset);
	uint32_t handle = parameter_of(program, place->create.handle, &handle_offset);
	if (routine_offset)
		routine = WHOLE_NONE;
	if (depth == MAX_WRAPPERS || threads->create_count >= MAX_CREATES ||
	    (routine == WHOLE_NONE && handle == WHOLE_NONE) || place->create.kind != FLOW_THREAD ||
	    !has_known_callers(program, threads, function) || flow_is_in_cycle(program, place->create.call) ||
	    is_first_round(program, place->create.call)) {
		add_create(program, threads, place);
		return;
	}
	for (uint32_t i = 0; i < program->callers[function].count; i++) {
		uint32_t call = program->calls[program->callers[function].items[i]].instruction;
		if (!threads->is_reached[program->whole->instruction[call].function])
			continue;
		struct place up = *place;
		up.create.call = call;
		uint32_t up_at = at;
		if (routine != WHOLE_NONE)
			up.routine = up_at = flow_argument(program, call, (int)routine);
		int64_t argument_offset;
		uint32_t argument = parameter_of(program, place->create.argument, &argument_offset);
		if (argument != WHOLE_NONE && !argument_offset &&
		    flow_argument(program, call, (int)argument) != WHOLE_NONE)
			up.create.argument = flow_argument(program, call, (int)argument);
		if (handle != WHOLE_NONE) {
			up.create.handle = flow_argument(program, call, (int)handle);
			up.create.handle_offset += handle_offset;
		}
		lift(program, threads, &up, up_at, depth + 1);
	}
}

static int compare_creates(const void *a, const void *b)
{
	const struct flow_create *left = a, *right = b;
	if (left->call != right->call)
		return left->call < right->call ? -1 : 1;
	return left->inner < right->inner ? -1 : left->inner > right->inner;
}

static bool is_of_unknown(const struct flow_program *program, const struct flow_threads *threads,
			  const struct flow_call *call)
{
	uint32_t callee = whole_direct_callee(program->whole, &program->whole->instruction[call->instruction]);
	return !call->model && callee != WHOLE_NONE && !program->whole->function[callee].is_defined &&
	       threads->is_reached[program->whole->instruction[call->instruction].function] &&
	       points_is_unknown(program->points, call->instruction);
}

/* An unknown library may call any function that it was ever given, in a thread of its own, from any call of such a
 * library on. When there are too many such functions, they are assumed to run only in the thread that calls the
 * library, and that is reported. */
static void find_foreign(const struct flow_program *program, struct flow_threads *threads)
{
	struct points_set exposed = points_exposed(program->points);
	struct flow_ids given = { 0 };
	for (uint32_t i = 0; i < exposed.count; i++)
		if (program->whole->function[exposed.items[i]].is_defined)
			flow_ids_add(&given, exposed.items[i]);
	for (uint32_t c = 0; c < program->call_count && given.count; c++) {
		uint32_t call = program->calls[c].instruction;
		if (!is_of_unknown(program, threads, &program->calls[c]))
			continue;
		if (given.count > MAX_FOREIGN) {
			threads->bound_functions = given.count;
			break;
		}
		struct flow_create create = {
			.call = call, .inner = call, .kind = FLOW_FOREIGN, .argument = WHOLE_NONE, .handle = WHOLE_NONE
		};
		for (uint32_t i = 0; i < given.count; i++)
			flow_ids_add(&create.roots, given.items[i]);
		threads->has_threads = true;
		threads->creates = flow_grow(threads->creates, threads->create_count, &threads->create_room,
					     sizeof *threads->creates);
		threads->creates[threads->create_count++] = create;
	}
	flow_ids_release(&given);
}

static void find_creates(const struct flow_program *program, struct flow_threads *threads)
{
	for (uint32_t c = 0; c < program->call_count; c++) {
		const struct flow_call *call = &program->calls[c];
		const struct model *model = call->model;
		if (!starts_threads(model) ||
		    !threads->is_reached[program->whole->instruction[call->instruction].function])
			continue;
		struct place place = { .create = { .call = call->instruction, .inner = call->instruction },
				       .routine = WHOLE_NONE };
		place.create.kind = model->sync == MODEL_CREATE     ? FLOW_THREAD
				    : model->sync == MODEL_PARALLEL ? FLOW_TEAM
								    : FLOW_HANDLER;
		place.create.is_argument_deep = model->routine_kind == MODEL_METHOD;
		place.create.parameter = model->routine_kind == MODEL_METHOD ? 0 : model->first_parameter;
		place.create.argument =
			flow_argument(program, call->instruction,
				      model->routine_kind == MODEL_METHOD ? model->routine : model->argument);
		place.create.handle = model->sync == MODEL_CREATE
					      ? flow_argument(program, call->instruction, model->object)
					      : WHOLE_NONE;
		/* Of a std::thread it is an object that says what runs: that stays with the constructor. */
		lift(program, threads, &place,
		     model->routine_kind == MODEL_DIRECT ? flow_argument(program, call->instruction, model->routine)
							 : WHOLE_NONE,
		     0);
	}
	find_foreign(program, threads);
	if (threads->create_count)
		qsort(threads->creates, threads->create_count, sizeof *threads->creates, compare_creates);
	add_roots(program, threads);
	threads->creates_of = mem_alloc(((size_t)program->call_count + 1) * sizeof *threads->creates_of);
	for (uint32_t i = 0; i < threads->create_count; i++) {
		struct flow_range *of = &threads->creates_of[flow_call_at(program, threads->creates[i].call)];
		if (!of->count++)
			of->first = i;
	}
}

/* ---- which root starts which ---- */

static void find_descendants(const struct flow_program *program, struct flow_threads *threads)
{
	uint32_t words = threads->words, functions = program->whole->function_count;
	size_t bytes = (size_t)threads->root_count * words * sizeof(uint64_t);
	threads->started = mem_alloc(bytes);
	threads->descendants = mem_alloc(bytes);
	bool *is_reached = mem_alloc((size_t)functions + 1);
	struct reach reach = { .program = program, .threads = threads, .is_reached = is_reached };
	for (uint32_t r = 0; r < threads->root_count; r++) {
		uint64_t *set = flow_row(threads, threads->started, r);
		memset(is_reached, 0, functions);
		if (r > 0)
			reach_function(&reach, threads->roots[r].function);
		/* Any thread may end the program. */
		const struct flow_ids *starts[] = { r ? NULL : &threads->first_functions,
						    r ? NULL : &threads->exported_functions, &threads->last_functions,
						    &threads->thread_end_functions };
		for (size_t s = 0; s < 4; s++)
			for (uint32_t i = 0; starts[s] && i < starts[s]->count; i++)
				reach_function(&reach, starts[s]->items[i]);
		reach_all(&reach);
		for (uint32_t c = 0; c < threads->create_count; c++) {
			const struct flow_create *create = &threads->creates[c];
			if (!is_reached[program->whole->instruction[create->call].function])
				continue;
			for (uint32_t i = 0; i < create->roots.count; i++)
				flow_bit_add(set, create->roots.items[i]);
		}
	}
	memcpy(threads->descendants, threads->started, bytes);
	for (uint32_t r = 0; r < threads->root_count; r++)
		flow_bit_add(flow_row(threads, threads->descendants, r), r);
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t r = 0; r < threads->root_count; r++)
			for (uint32_t s = 0; s < threads->root_count; s++)
				if (s != r && flow_bit_has(flow_row(threads, threads->descendants, r), s))
					is_changed |= flow_bits_add(flow_row(threads, threads->descendants, r),
								    flow_row(threads, threads->descendants, s), words);
	}
	flow_ids_release(&reach.todo);
	free(is_reached);
}

void flow_threads_find(const struct flow_program *program, struct flow_threads *threads)
{
	find_first(program, threads);
	find_reached(program, threads);
	threads->roots = flow_grow(threads->roots, 0, &threads->root_room, sizeof *threads->roots);
	threads->roots[0] = (struct flow_root){ .kind = program->whole->is_library ? FLOW_EXPORTED : FLOW_MAIN,
						.function = WHOLE_NONE,
						.call = WHOLE_NONE };
	if (!program->whole->is_library)
		threads->roots[0].function = whole_find_function(program->whole, "main");
	threads->root_count = 1;
	find_creates(program, threads);
	threads->words = (threads->root_count + 63) / 64;
	find_descendants(program, threads);
}

void flow_threads_release(struct flow_threads *threads)
{
	for (uint32_t c = 0; c < threads->create_count; c++)
		flow_ids_release(&threads->creates[c].roots);
	free(threads->roots);
	free(threads->creates);
	free(threads->creates_of);
	free(threads->is_reached);
	free(threads->descendants);
	free(threads->started);
	flow_ids_release(&threads->first_functions);
	flow_ids_release(&threads->last_functions);
	flow_ids_release(&threads->thread_end_functions);
	flow_ids_release(&threads->exported_functions);
}

uint32_t flow_end_functions(const struct flow_program *program, const struct flow_threads *threads, uint32_t root,
			    uint32_t function, uint32_t call, const struct flow_ids *lists[2])
{
	bool ends_program = false, ends_thread = false;
	if (call == WHOLE_NONE) {
		ends_thread = function == threads->roots[root].function;
		ends_program = ends_thread && root == 0;
	} else if (program->calls[call].model) {
		ends_program = program->calls[call].runs_exit_handlers;
		ends_thread = ends_program || program->calls[call].model->sync == MODEL_EXIT_THREAD;
		ends_program |= ends_thread && root == 0;
	}
	uint32_t count = 0;
	if (ends_program)
		lists[count++] = &threads->last_functions;
	if (ends_thread)
		lists[count++] = &threads->thread_end_functions;
	return count;
}
