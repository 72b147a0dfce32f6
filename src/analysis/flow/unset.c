/*
 * unset.c: where a handle that is found not to be set shows that nothing runs. A std::thread is zero until a thread is started
 * through it and is zero again when it was waited for, so
 *
 *     if (thread.joinable()) thread.join();        and its destructor, which ends the program if it is joinable
 *
 * both guarantee that the thread is over after them. That holds unless the handle is moved elsewhere or detached: then
 * it is zero, too.
 * Input: struct flow_joining. Result: joins that are added to its struct flow_joins.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/joining.h"
#include "base/mem.h"

enum { HANDLE_BYTES = 8 };

static bool may_touch(const struct flow_program *program, uint32_t pointer, uint32_t other)
{
	struct points_set a = points_of_value(program->points, pointer), b = points_of_value(program->points, other);
	for (uint32_t i = 0; i < a.count; i++)
		for (uint32_t k = 0; k < b.count; k++)
			if (points_location(program->points, a.items[i]).object ==
			    points_location(program->points, b.items[k]).object)
				return true;
	return false;
}

static bool is_loaded_from(const struct flow_program *program, uint32_t value, uint32_t pointer, unsigned depth);

/* Libraries have no handles to return. */
static bool returns_loaded(const struct flow_program *program, uint32_t call, uint32_t pointer, unsigned depth)
{
	const struct whole *whole = program->whole;
	struct points_set callees = points_callees(program->points, call);
	for (uint32_t i = 0; i < callees.count; i++) {
		const struct whole_function *callee = &whole->function[callees.items[i]];
		for (uint32_t k = 0; callee->is_defined && k < callee->instruction_count; k++) {
			const struct whole_instruction *row = &whole->instruction[callee->first_instruction + k];
			if (row->op == WHOLE_RETURN && row->operand_count &&
			    is_loaded_from(program, whole_operand(whole, row, 0), pointer, depth + 1))
				return true;
		}
	}
	return false;
}

/* Whether the value is loaded from what the pointer may point to; as a part of another it counts, too. */
static bool is_loaded_from(const struct flow_program *program, uint32_t value, uint32_t pointer, unsigned depth)
{
	enum { DEEPEST = 8 };
	const struct whole *whole = program->whole;
	if (whole->value[value].kind != WHOLE_RESULT)
		return whole->value[value].kind == WHOLE_PARAMETER;
	const struct whole_instruction *row = &whole->instruction[whole->value[value].index];
	bool is = depth == DEEPEST;
	if (row->op == WHOLE_LOAD)
		return may_touch(program, whole_operand(whole, row, 0), pointer);
	if (row->op == WHOLE_CALL)
		return is || returns_loaded(program, whole->value[value].index, pointer, depth);
	if (row->op != WHOLE_COPY && row->op != WHOLE_OFFSET)
		return row->op != WHOLE_SLOT;
	for (uint32_t o = 0; o < row->operand_count && !is; o++)
		is = is_loaded_from(program, whole->operands[row->first_operand + o], pointer, depth + 1);
	return is;
}

/* Whether the handle stored there may be moved elsewhere, or its thread be detached. Only handles of std::thread are
 * zero when they are not set: all others are written by no model of its kind. */
static bool may_lose(const struct flow_program *program, const struct flow_threads *threads, uint32_t pointer)
{
	const struct whole *whole = program->whole;
	for (uint32_t i = 0; i < whole->instruction_count; i++) {
		const struct whole_instruction *row = &whole->instruction[i];
		if (row->function == WHOLE_NONE || !threads->is_reached[row->function])
			continue;
		if ((row->op == WHOLE_STORE || row->op == WHOLE_UPDATE) && row->size_bytes >= HANDLE_BYTES &&
		    whole->value[whole_operand(whole, row, 1)].kind == WHOLE_RESULT &&
		    is_loaded_from(program, whole_operand(whole, row, 1), pointer, 0))
			return true;
		if (row->op == WHOLE_MOVE && may_touch(program, whole_operand(whole, row, 1), pointer))
			return true;
		const struct flow_call *call = row->op == WHOLE_CALL ? &program->calls[flow_call_at(program, i)] : NULL;
		if (call && call->model && (call->model->sync == MODEL_DETACH || call->is_wild))
			return true;
	}
	return false;
}

static bool are_all_objects(const struct flow_program *program, const struct flow_threads *threads,
			    const struct flow_ids *creates)
{
	for (uint32_t i = 0; i < creates->count; i++) {
		const struct model *model =
			program->calls[flow_call_at(program, threads->creates[creates->items[i]].inner)].model;
		if (!model || model->routine_kind != MODEL_METHOD)
			return false;
	}
	return creates->count != 0;
}

uint32_t flow_tested_pointer(const struct whole *whole, const struct whole_block *block)
{
	int64_t distance;
	if (block->test.value == WHOLE_NONE || block->test.constant || block->successor_count != 2)
		return WHOLE_NONE;
	const struct whole_value *value = &whole->value[whole_base(whole, block->test.value, &distance)];
	if (distance || value->kind != WHOLE_RESULT)
		return WHOLE_NONE;
	const struct whole_instruction *load = &whole->instruction[value->index];
	/* In the same block: the test sees the current contents. */
	return load->op == WHOLE_LOAD && load->size_bytes == HANDLE_BYTES && &whole->block[load->block] == block
		       ? whole_operand(whole, load, 0)
		       : WHOLE_NONE;
}

static bool may_overwrite(const struct flow_program *program, const struct whole_instruction *row, uint32_t instruction,
			  uint32_t pointer)
{
	const struct whole *whole = program->whole;
	if (row->op == WHOLE_STORE || row->op == WHOLE_UPDATE || row->op == WHOLE_MOVE || row->op == WHOLE_FILL)
		return may_touch(program, whole_operand(whole, row, 0), pointer);
	if (row->op != WHOLE_CALL)
		return row->op == WHOLE_ASSEMBLY;
	for (uint32_t o = 1; o < row->operand_count; o++)
		if (may_touch(program, whole_operand(whole, row, o), pointer))
			return true;
	return program->calls[flow_call_at(program, instruction)].target_count != 0;
}

/* std::thread::joinable, where it is not inlined. */
static bool is_joinable(const struct whole *whole, const struct whole_instruction *row)
{
	uint32_t callee = row->op == WHOLE_CALL ? whole_direct_callee(whole, row) : WHOLE_NONE;
	return callee != WHOLE_NONE && strcmp(whole->function[callee].name, "_ZNKSt6thread8joinableEv") == 0;
}

unsigned flow_tested_pointers(const struct flow_program *program, const struct whole_block *block, uint32_t *pointers,
			      uint32_t *successor)
{
	const struct whole *whole = program->whole;
	unsigned count = 0;
	if (block->test.value == WHOLE_NONE || block->successor_count != 2)
		return 0;
	*successor = block->test.constant ? 1u - block->test.if_equal : block->test.if_equal;
	for (uint32_t i = block->first_instruction; i < block->first_instruction + block->instruction_count; i++) {
		const struct whole_instruction *row = &whole->instruction[i];
		unsigned kept = 0;
		bool is_joinable_call = is_joinable(whole, row);
		for (unsigned p = 0; p < count; p++)
			if (is_joinable_call || !may_overwrite(program, row, i, pointers[p]))
				pointers[kept++] = pointers[p];
		count = kept;
		bool is_result = row->result != WHOLE_NONE && row->result == block->test.value;
		bool is_handle = !block->test.constant && row->size_bytes == HANDLE_BYTES &&
				 ((row->op == WHOLE_LOAD && is_result) ||
				  (row->op == WHOLE_STORE && whole_operand(whole, row, 1) == block->test.value));
		if ((is_handle || (is_joinable_call && is_result)) && count < FLOW_MAX_TESTED)
			pointers[count++] = whole_operand(whole, row, is_joinable_call ? 1 : 0);
	}
	return count;
}

bool flow_is_zero(const struct flow_program *program, uint32_t value, uint32_t block)
{
	const struct whole *whole = program->whole;
	const struct flow_body *body = &program->bodies[whole->block[block].function];
	uint32_t first_block = whole->function[whole->block[block].function].first_block;
	uint32_t *dominator = mem_alloc((size_t)body->graph.node_count * sizeof *dominator);
	struct graph reversed;
	bool is_zero = false;
	graph_dominators(&body->graph, 0, dominator);
	graph_reverse(&body->graph, &reversed);
	for (uint32_t at = block - first_block; dominator[at] != GRAPH_NONE && !is_zero; at = dominator[at]) {
		const struct whole_block *row = &whole->block[first_block + dominator[at]];
		if (row->test.value != value || row->test.constant || row->successor_count != 2 ||
		    reversed.first[at + 1] - reversed.first[at] != 1)
			continue;
		is_zero = whole->successors[row->first_successor + row->test.if_equal] == first_block + at &&
			  whole->successors[row->first_successor + 1 - row->test.if_equal] != first_block + at;
	}
	graph_release(&reversed);
	free(dominator);
	return is_zero;
}

static void find_unset(struct flow_joining *joining, uint32_t function, uint32_t block)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	const struct flow_single *single = joining->single;
	const struct whole *whole = program->whole;
	const struct whole_block *row = &whole->block[whole->function[function].first_block + block];
	uint32_t pointer = flow_tested_pointer(whole, row);
	if (pointer == WHOLE_NONE || !row->instruction_count)
		return;
	struct flow_cell cell = flow_cell_of(program, single, pointer, 0);
	struct flow_ids creates = { 0 };
	flow_creates_at(program, threads, single, cell, row->first_instruction + row->instruction_count - 1, &creates);
	if (are_all_objects(program, threads, &creates) && flow_is_written_by(joining, pointer, cell, &creates) &&
	    !may_lose(program, threads, pointer)) {
		struct flow_join *join = flow_add_join(program, joining->joins, function, WHOLE_NONE);
		join->is_one_of_all = true;
		flow_join_roots(threads, join, &creates);
		flow_ids_add(&join->edges, block);
		flow_ids_add(&join->edges, row->test.if_equal);
	}
	flow_ids_release(&creates);
}

void flow_unset_find(struct flow_joining *joining)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	bool has_objects = false;
	for (uint32_t c = 0; c < threads->create_count; c++) {
		const struct model *model = program->calls[flow_call_at(program, threads->creates[c].inner)].model;
		has_objects |= model && model->routine_kind == MODEL_METHOD;
	}
	for (uint32_t f = 0; has_objects && f < program->whole->function_count; f++)
		for (uint32_t b = 0; threads->is_reached[f] && b < program->bodies[f].graph.node_count; b++)
			find_unset(joining, f, b);
}
