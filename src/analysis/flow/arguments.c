/*
 * arguments.c: which functions a thread calls, depending on its argument. Points-to does not distinguish the starts of
 * a function. But where a thread's routine calls a function pointer from its argument, as that of std::thread and
 * trampolines in C do, each start knows which objects that argument may be, and so which functions are called.
 * Input: struct flow_program, struct flow_threads. Result: struct flow_arguments.
 */
#include <stdlib.h>

#include "analysis/flow/arguments.h"
#include "analysis/flow/program.h"
#include "analysis/flow/threads.h"
#include "base/mem.h"

/* The numbers of rows are those of locations. */
static void index_locations(const struct flow_program *program, struct flow_interned *index)
{
	for (uint32_t l = 0; l < points_location_count(program->points); l++) {
		struct points_location at = points_location(program->points, l);
		uint32_t key[4] = { at.object, (uint32_t)at.offset, (uint32_t)(at.offset >> 32), l };
		flow_interned_add(index, key, 3);
		/* Should there be two of the same name, the numbers still agree. */
		if (index->count <= l)
			flow_interned_add(index, key, 4);
	}
}

static void add_code_at(const struct flow_program *program, struct flow_interned *index, uint32_t object,
			uint64_t offset, struct flow_ids *functions)
{
	uint32_t key[3] = { object, (uint32_t)offset, (uint32_t)(offset >> 32) };
	uint32_t location = flow_interned_add(index, key, 3);
	if (location >= points_location_count(program->points))
		return;
	struct points_set set = points_of_location(program->points, location);
	for (uint32_t i = 0; i < set.count; i++) {
		const struct whole_object *row =
			&program->whole->object[points_location(program->points, set.items[i]).object];
		if (row->kind == WHOLE_CODE)
			flow_ids_add_new(functions, row->function);
	}
}

/* Locations that the argument may be. */
static void find_given(const struct flow_program *program, const struct flow_create *create, struct flow_ids *locations)
{
	struct points_set set = points_of_value(program->points, create->argument);
	for (uint32_t i = 0; i < set.count; i++) {
		if (!create->is_argument_deep) {
			flow_ids_add_new(locations, set.items[i]);
			continue;
		}
		struct points_set stored = points_of_location(program->points, set.items[i]);
		for (uint32_t k = 0; k < stored.count; k++)
			flow_ids_add_new(locations, stored.items[k]);
	}
}

/* Whether the callee is loaded from a constant distance after the parameter. */
static bool is_from_parameter(const struct flow_program *program, uint32_t call, uint32_t parameter, int64_t *offset)
{
	const struct whole *whole = program->whole;
	int64_t distance;
	uint32_t callee = whole_base(whole, whole_operand(whole, &whole->instruction[call], 0), &distance);
	if (distance || whole->value[callee].kind != WHOLE_RESULT)
		return false;
	const struct whole_instruction *load = &whole->instruction[whole->value[callee].index];
	if (load->op != WHOLE_LOAD || load->size_bytes != sizeof(uint64_t))
		return false;
	const struct whole_value *base = &whole->value[whole_base(whole, whole_operand(whole, load, 0), offset)];
	return base->kind == WHOLE_PARAMETER && base->index == parameter;
}

static void narrow(const struct flow_program *program, struct flow_arguments *arguments, struct flow_interned *index,
		   uint32_t root, const struct flow_ids *given, uint32_t call, int64_t offset)
{
	struct flow_ids functions = { 0 };
	bool is_known = given->count != 0;
	for (uint32_t i = 0; i < given->count && is_known; i++) {
		struct points_location at = points_location(program->points, given->items[i]);
		const struct whole_object *object = &program->whole->object[at.object];
		uint64_t folded;
		is_known = at.object != 0 && at.offset != POINTS_ANYWHERE && !program->is_outside[at.object] &&
			   whole_fold(program->whole, object, at.offset + (uint64_t)offset, &folded, NULL);
		if (!is_known)
			break;
		add_code_at(program, index, at.object, folded, &functions);
		add_code_at(program, index, at.object, POINTS_ANYWHERE, &functions);
	}
	if (is_known && functions.count && functions.count < program->calls[call].target_count) {
		arguments->rows =
			flow_grow(arguments->rows, arguments->count, &arguments->room, sizeof *arguments->rows);
		arguments->rows[arguments->count++] =
			(struct flow_narrowed){ .root = root, .call = call, .functions = functions };
		arguments->is_narrowed[call] = true;
		return;
	}
	flow_ids_release(&functions);
}

void flow_arguments_find(const struct flow_program *program, const struct flow_threads *threads,
			 struct flow_arguments *arguments)
{
	struct flow_interned index = { 0 };
	arguments->is_narrowed = mem_alloc((size_t)program->call_count + 1);
	for (uint32_t c = 0; c < threads->create_count; c++) {
		const struct flow_create *create = &threads->creates[c];
		struct flow_ids given = { 0 };
		if (create->argument != WHOLE_NONE)
			find_given(program, create, &given);
		for (uint32_t i = 0; i < create->roots.count; i++) {
			uint32_t r = create->roots.items[i];
			if (threads->roots[r].calls > 1)
				continue;
			const struct flow_body *body = &program->bodies[threads->roots[r].function];
			for (uint32_t k = body->first_call[0]; k < body->first_call[body->graph.node_count]; k++) {
				int64_t offset;
				if (!given.count || program->calls[k].target_count < 2 ||
				    !is_from_parameter(program, program->calls[k].instruction, create->parameter,
						       &offset))
					continue;
				if (!index.count)
					index_locations(program, &index);
				narrow(program, arguments, &index, r, &given, k, offset);
			}
		}
		flow_ids_release(&given);
	}
	flow_interned_release(&index);
}

void flow_arguments_release(struct flow_arguments *arguments)
{
	for (uint32_t i = 0; i < arguments->count; i++)
		flow_ids_release(&arguments->rows[i].functions);
	free(arguments->rows);
	free(arguments->is_narrowed);
}

bool flow_may_call(const struct flow_arguments *arguments, uint32_t root, uint32_t call, uint32_t function)
{
	if (!arguments->is_narrowed[call])
		return true;
	for (uint32_t i = 0; i < arguments->count; i++)
		if (arguments->rows[i].root == root && arguments->rows[i].call == call)
			return flow_ids_has(&arguments->rows[i].functions, function);
	return true;
}
