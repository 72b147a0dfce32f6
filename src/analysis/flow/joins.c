/*
 * joins.c: which calls wait for which threads, for certain. The handle that is passed to a join is loaded from a place.
 * When a start of threads wrote its handle to that place, and all other writes there store numbers, the join waits for
 * the thread that was started last through that place. analysis/flow/alive.c checks that no other one is alive then.
 * Input: struct flow_program, struct flow_threads, struct flow_single. Result: struct flow_joins, to which the other files of joining.h add.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/joining.h"
#include "analysis/flow/joins.h"
#include "base/mem.h"

enum { HANDLE_BYTES = 8 };

struct flow_cell flow_cell_of(const struct flow_program *program, const struct flow_single *single, uint32_t value,
			      int64_t offset)
{
	const struct whole *whole = program->whole;
	int64_t distance;
	uint32_t base = whole_base(whole, value, &distance), object = WHOLE_NONE;
	distance += offset;
	if (whole->value[base].kind == WHOLE_ADDRESS)
		object = whole->value[base].index;
	else if (whole->value[base].kind == WHOLE_RESULT &&
		 whole->instruction[whole->value[base].index].op == WHOLE_SLOT)
		object = whole->instruction[whole->value[base].index].object;
	if (object != WHOLE_NONE && flow_is_single(program, single, object))
		return (struct flow_cell){ .object = object, .base = WHOLE_NONE, .offset = distance };
	uint64_t at;
	if (flow_exact(program, single, base, &object, &at))
		return (struct flow_cell){ .object = object, .base = WHOLE_NONE, .offset = distance + (int64_t)at };
	return (struct flow_cell){ .object = WHOLE_NONE, .base = base, .offset = distance };
}

static bool are_equal(struct flow_cell a, struct flow_cell b)
{
	return a.object == b.object && a.base == b.base && a.offset == b.offset;
}

static bool are_apart(struct flow_cell a, struct flow_cell b, uint64_t b_bytes)
{
	return a.object == b.object && a.base == b.base && b_bytes &&
	       (a.offset + HANDLE_BYTES <= b.offset || b.offset + (int64_t)b_bytes <= a.offset);
}

/* ---- what writes handles ---- */

static void mark_handles(struct flow_joining *joining)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	joining->is_handle_object = mem_alloc((size_t)program->whole->object_count + 1);
	for (uint32_t c = 0; c < threads->create_count; c++) {
		if (threads->creates[c].handle == WHOLE_NONE)
			continue;
		struct points_set set = points_of_value(program->points, threads->creates[c].handle);
		for (uint32_t i = 0; i < set.count; i++)
			joining->is_handle_object[points_location(program->points, set.items[i]).object] = true;
	}
}

static bool is_write(uint8_t op)
{
	return op == WHOLE_STORE || op == WHOLE_UPDATE || op == WHOLE_MOVE || op == WHOLE_FILL;
}

static void find_writers(struct flow_joining *joining)
{
	const struct flow_program *program = joining->program;
	const struct whole *whole = program->whole;
	for (uint32_t i = 0; i < whole->instruction_count; i++) {
		const struct whole_instruction *row = &whole->instruction[i];
		if (!is_write(row->op) || row->function == WHOLE_NONE || !joining->threads->is_reached[row->function])
			continue;
		struct points_set set = points_of_value(program->points, whole_operand(whole, row, 0));
		for (uint32_t p = 0; p < set.count; p++)
			if (joining->is_handle_object[points_location(program->points, set.items[p]).object]) {
				flow_ids_add(&joining->writers, i);
				break;
			}
	}
}

/* Whether what is written at one pointer may be where the other points to. */
static bool may_overlap(const struct flow_program *program, uint32_t pointer, uint32_t written, uint64_t written_bytes)
{
	struct points_set a = points_of_value(program->points, pointer), b = points_of_value(program->points, written);
	for (uint32_t i = 0; i < a.count; i++)
		for (uint32_t k = 0; k < b.count; k++) {
			struct points_location x = points_location(program->points, a.items[i]),
					       y = points_location(program->points, b.items[k]);
			if (x.object != y.object)
				continue;
			if (x.offset == POINTS_ANYWHERE || y.offset == POINTS_ANYWHERE || !written_bytes)
				return true;
			if (x.offset < y.offset + written_bytes && y.offset < x.offset + HANDLE_BYTES)
				return true;
		}
	return false;
}

static bool is_number(const struct whole *whole, const struct whole_instruction *row)
{
	if (row->op == WHOLE_FILL)
		return true;
	return row->op == WHOLE_STORE && whole->value[whole_operand(whole, row, 1)].kind == WHOLE_NUMBER;
}

bool flow_is_written_by(const struct flow_joining *joining, uint32_t pointer, struct flow_cell cell,
			const struct flow_ids *creates)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	const struct flow_single *single = joining->single;
	const struct whole *whole = program->whole;
	struct points_set set = points_of_value(program->points, pointer);
	if (!set.count)
		return false;
	for (uint32_t i = 0; i < set.count; i++)
		if (program->is_outside[points_location(program->points, set.items[i]).object])
			return false;
	for (uint32_t w = 0; w < joining->writers.count; w++) {
		const struct whole_instruction *row = &whole->instruction[joining->writers.items[w]];
		uint32_t written = whole_operand(whole, row, 0);
		if (is_number(whole, row) || !may_overlap(program, pointer, written, row->size_bytes))
			continue;
		if (!are_apart(cell, flow_cell_of(program, single, written, 0), row->size_bytes))
			return false;
	}
	for (uint32_t c = 0; c < threads->create_count; c++) {
		const struct flow_create *create = &threads->creates[c];
		if (create->handle == WHOLE_NONE || flow_ids_has(creates, c) ||
		    !may_overlap(program, pointer, create->handle, HANDLE_BYTES))
			continue;
		if (!are_apart(cell, flow_cell_of(program, single, create->handle, create->handle_offset),
			       HANDLE_BYTES))
			return false;
	}
	return true;
}

static void reach_calls(const struct flow_program *program, uint32_t first_call, uint32_t last_call, bool *is_seen,
			struct flow_ids *todo)
{
	for (uint32_t c = first_call; c < last_call; c++)
		for (uint32_t t = 0; t < program->calls[c].target_count; t++) {
			uint32_t target = program->targets.items[program->calls[c].first_target + t];
			if (!is_seen[target]) {
				is_seen[target] = true;
				flow_ids_add(todo, target);
			}
		}
}

/* Functions that may run once the block is reached; is_later[b]: blocks of the function itself. */
static void mark_later(const struct flow_program *program, const struct flow_threads *threads, uint32_t function,
		       uint32_t block, bool *is_later, bool *is_seen)
{
	const struct flow_body *body = &program->bodies[function];
	struct flow_ids todo = { 0 };
	flow_ids_add(&todo, block);
	is_later[block] = true;
	while (todo.count) {
		uint32_t at = todo.items[--todo.count];
		for (uint32_t e = body->graph.first[at]; e < body->graph.first[at + 1]; e++)
			if (!is_later[body->graph.targets[e]]) {
				is_later[body->graph.targets[e]] = true;
				flow_ids_add(&todo, body->graph.targets[e]);
			}
	}
	for (uint32_t b = 0; b < body->graph.node_count; b++)
		if (is_later[b])
			reach_calls(program, body->first_call[b], body->first_call[b + 1], is_seen, &todo);
	for (uint32_t r = 1; r < threads->root_count; r++)
		if (!is_seen[threads->roots[r].function]) {
			is_seen[threads->roots[r].function] = true;
			flow_ids_add(&todo, threads->roots[r].function);
		}
	while (todo.count) {
		const struct flow_body *next = &program->bodies[todo.items[--todo.count]];
		reach_calls(program, next->first_call[0], next->first_call[next->graph.node_count], is_seen, &todo);
	}
	flow_ids_release(&todo);
}

/* Whether an instruction may change what the pointer points to; functions that are given its address may. */
static bool may_change(const struct flow_program *program, const struct whole_instruction *row, uint32_t pointer)
{
	if (is_write(row->op))
		return may_overlap(program, pointer, whole_operand(program->whole, row, 0), row->size_bytes);
	for (uint32_t o = 1; row->op == WHOLE_CALL && o < row->operand_count; o++)
		if (may_overlap(program, pointer, whole_operand(program->whole, row, o), 0))
			return true;
	return false;
}

bool flow_is_written_before(const struct flow_program *program, const struct flow_threads *threads,
			    const struct flow_single *single, uint32_t pointer, uint32_t function, uint32_t block)
{
	const struct whole *whole = program->whole;
	uint32_t first_block = whole->function[function].first_block;
	if (!flow_runs_once(program, single, whole->block[first_block].first_instruction))
		return false;
	bool *is_later = mem_alloc(program->bodies[function].graph.node_count), is_before = true;
	bool *is_seen = mem_alloc((size_t)whole->function_count + 1);
	mark_later(program, threads, function, block, is_later, is_seen);
	for (uint32_t i = 0; i < whole->instruction_count && is_before; i++) {
		const struct whole_instruction *row = &whole->instruction[i];
		if (row->function == WHOLE_NONE || !threads->is_reached[row->function])
			continue;
		bool is_late =
			is_seen[row->function] || (row->function == function && is_later[row->block - first_block]);
		if (is_late && may_change(program, row, pointer))
			is_before = false;
	}
	free(is_later);
	free(is_seen);
	return is_before;
}

/* ---- joins ---- */

uint32_t flow_join_pointer(const struct flow_program *program, const struct flow_call *call)
{
	uint32_t handle = flow_argument(program, call->instruction, call->model->object);
	if (handle == WHOLE_NONE)
		return WHOLE_NONE;
	if (call->model->is_object_in_memory)
		return handle;
	int64_t distance;
	const struct whole_value *base = &program->whole->value[whole_base(program->whole, handle, &distance)];
	if (distance || base->kind != WHOLE_RESULT || program->whole->instruction[base->index].op != WHOLE_LOAD)
		return WHOLE_NONE;
	return whole_operand(program->whole, &program->whole->instruction[base->index], 0);
}

struct flow_join *flow_add_join(const struct flow_program *program, struct flow_joins *joins, uint32_t function,
				uint32_t call)
{
	joins->rows = flow_grow(joins->rows, joins->count, &joins->room, sizeof *joins->rows);
	struct flow_join *join = &joins->rows[joins->count];
	*join = (struct flow_join){ .call = call, .function = function, .entry_function = function };
	join->next = join->owner = WHOLE_NONE;
	flow_ids_add(&joins->of_function[function], joins->count);
	if (call != WHOLE_NONE) {
		uint32_t *first = &joins->of_call[flow_call_at(program, call)];
		join->next = *first;
		*first = joins->count;
	}
	joins->count++;
	return join;
}

/* Threads of one root that are not started by these are not waited for. */
void flow_join_roots(const struct flow_threads *threads, struct flow_join *join, const struct flow_ids *creates)
{
	for (uint32_t i = 0; i < creates->count; i++)
		for (uint32_t r = 0; r < threads->creates[creates->items[i]].roots.count; r++) {
			uint32_t root = threads->creates[creates->items[i]].roots.items[r], starts = 0;
			for (uint32_t k = 0; k < creates->count; k++)
				starts += flow_ids_has(&threads->creates[creates->items[k]].roots, root);
			if (starts == threads->roots[root].calls)
				flow_ids_add_new(&join->roots, root);
		}
}

/* The instruction of the function that the handle's value is in. */
static uint32_t position(const struct flow_program *program, const struct flow_create *create, uint32_t function)
{
	return program->whole->instruction[create->call].function == function ? create->call : create->inner;
}

static bool comes_before(const struct flow_program *program, uint32_t first, uint32_t second)
{
	const struct whole_instruction *a = &program->whole->instruction[first],
				       *b = &program->whole->instruction[second];
	if (a->function != b->function)
		return false;
	if (a->block == b->block)
		return first < second;
	const struct flow_body *body = &program->bodies[a->function];
	uint32_t *parent = mem_alloc(body->graph.node_count * sizeof *parent);
	uint32_t start = program->whole->function[a->function].first_block;
	graph_dominators(&body->graph, 0, parent);
	bool is_before = graph_dominates(parent, a->block - start, b->block - start);
	free(parent);
	return is_before;
}

/* A value names the same place at both if one certainly follows the other, in the same call of the function. A stack slot does
 * anyway: what is in one that no thread was started through is no handle. */
bool flow_is_same_value(const struct flow_program *program, uint32_t base, const struct flow_create *create,
			uint32_t join)
{
	const struct whole_value *value = &program->whole->value[base];
	if (value->kind == WHOLE_RESULT) {
		const struct whole_instruction *row = &program->whole->instruction[value->index];
		uint32_t block = row->block - program->whole->function[row->function].first_block;
		if (row->op == WHOLE_SLOT && !program->bodies[row->function].is_in_cycle[block])
			return true;
	}
	return value->function != WHOLE_NONE && comes_before(program, position(program, create, value->function), join);
}

void flow_creates_at(const struct flow_program *program, const struct flow_threads *threads,
		     const struct flow_single *single, struct flow_cell cell, uint32_t instruction,
		     struct flow_ids *creates)
{
	for (uint32_t c = 0; c < threads->create_count; c++) {
		const struct flow_create *create = &threads->creates[c];
		if (create->kind != FLOW_THREAD || create->handle == WHOLE_NONE ||
		    !are_equal(cell, flow_cell_of(program, single, create->handle, create->handle_offset)))
			continue;
		if (cell.base == WHOLE_NONE || flow_is_same_value(program, cell.base, create, instruction))
			flow_ids_add(creates, c);
	}
}

static void find_join(struct flow_joining *joining, const struct flow_call *call)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	const struct flow_single *single = joining->single;
	uint32_t pointer = flow_join_pointer(program, call),
		 function = program->whole->instruction[call->instruction].function;
	if (pointer == WHOLE_NONE)
		return;
	struct flow_cell cell = flow_cell_of(program, single, pointer, 0);
	struct flow_ids creates = { 0 };
	flow_creates_at(program, threads, single, cell, call->instruction, &creates);
	if (creates.count && flow_is_written_by(joining, pointer, cell, &creates)) {
		struct flow_join *join = flow_add_join(program, joining->joins, function, call->instruction);
		join->is_one_of_all = true;
		flow_join_roots(threads, join, &creates);
	}
	flow_ids_release(&creates);
}

void flow_joins_find(const struct flow_program *program, const struct flow_threads *threads,
		     const struct flow_single *single, struct flow_joins *joins)
{
	struct flow_joining joining = { .program = program, .threads = threads, .single = single, .joins = joins };
	joins->of_function = mem_alloc(((size_t)program->whole->function_count + 1) * sizeof *joins->of_function);
	joins->of_call = mem_alloc(((size_t)program->call_count + 1) * sizeof *joins->of_call);
	memset(joins->of_call, 0xff, program->call_count * sizeof *joins->of_call);
	if (!threads->create_count)
		return;
	mark_handles(&joining);
	find_writers(&joining);
	for (uint32_t c = 0; c < program->call_count; c++) {
		const struct flow_call *call = &program->calls[c];
		if (call->model && call->model->sync == MODEL_JOIN && call->is_certain &&
		    threads->is_reached[program->whole->instruction[call->instruction].function])
			find_join(&joining, call);
	}
	flow_unset_find(&joining);
	flow_owned_find(&joining);
	flow_loops_find(&joining);
	flow_owned_release(&joining);
	free(joining.is_handle_object);
	flow_ids_release(&joining.writers);
}

void flow_joins_release(const struct flow_program *program, struct flow_joins *joins)
{
	for (uint32_t j = 0; j < joins->count; j++) {
		flow_ids_release(&joins->rows[j].roots);
		flow_ids_release(&joins->rows[j].edges);
		flow_ids_release(&joins->rows[j].entries);
		flow_ids_release(&joins->rows[j].holders);
		flow_ids_release(&joins->rows[j].rounds);
	}
	for (uint32_t f = 0; joins->of_function && f < program->whole->function_count; f++)
		flow_ids_release(&joins->of_function[f]);
	free(joins->rows);
	free(joins->of_function);
	free(joins->of_call);
}
