/*
 * generate.c: the constraints of the program, function by function as they are reached from main (or, in a library, from what it
 * exports): what never runs does not blur what does. Values that are bound to have the same set are the same node from the
 * start (Hardekopf, Lin, "Exploiting pointer and location equivalence to optimize pointer analysis", SAS 2007): loads through the
 * same pointer, the same distance from the same pointer, copies of one value.
 */
#include "analysis/points/generate.h"

#include <stdlib.h>

#include "analysis/points/number.h"
#include "analysis/points/solver.h"
#include "base/mem.h"

enum { POINTER_BYTES = 8, MAX_SEARCHED = 2000 };

void value_table_init(struct value_table *values, const struct whole *whole)
{
	values->count = whole->value_count;
	values->node = table_of_none(whole->value_count);
}

void value_table_release(struct value_table *values)
{
	free(values->node);
	index_release(&values->index);
}

void reach_init(struct reach *reach, const struct whole *whole)
{
	reach->is_reached = mem_alloc(whole->function_count + 1);
}

void reach_release(struct reach *reach)
{
	free(reach->is_reached);
	free(reach->functions);
}

uint32_t value_node(struct solver *solver, uint32_t value)
{
	if (value == NONE)
		return NODE_EMPTY;
	const struct whole_value row = solver->whole->value[value];
	uint32_t *node = &solver->values.node[value];
	if (*node != NONE)
		return node_find(&solver->nodes, *node);
	if (row.kind == WHOLE_NUMBER || row.kind == WHOLE_OPAQUE)
		return *node = NODE_EMPTY;
	uint32_t cell = row.kind == WHOLE_ADDRESS ? cell_at(solver, row.index, row.offset) : NONE;
	/* Far from the variable, or a function with a tag: a number that may become its address again. */
	if (row.kind == WHOLE_ADDRESS && cell == NONE && row.offset)
		cell = cell_at(solver, row.index,
			       solver->whole->object[row.index].kind == WHOLE_CODE ? 0 : CELL_ANYWHERE);
	if (row.kind == WHOLE_ADDRESS && cell == NONE)
		return solver->values.node[value] = NODE_EMPTY;
	solver->values.node[value] = node_new(&solver->nodes);
	node_add_cell(solver, solver->values.node[value], cell);
	return solver->values.node[value];
}

static uint32_t operand_node(struct solver *solver, const struct whole_instruction *at, uint32_t number)
{
	return value_node(solver, whole_operand(solver->whole, at, number));
}

/* The result is what the node is. If it was used before it was made, it has a node of its own already. */
static void set_result(struct value_table *values, struct node_table *nodes, const struct whole_instruction *at,
		       uint32_t node)
{
	if (at->result == NONE)
		return;
	if (values->node[at->result] == NONE)
		values->node[at->result] = node;
	else if (node != NODE_EMPTY)
		node_add_edge(nodes, node, values->node[at->result]);
}

static void copy(struct solver *solver, const struct whole_instruction *at)
{
	uint32_t only = NODE_EMPTY;
	bool is_many = false;
	for (uint32_t i = 0; i < at->operand_count; i++) {
		uint32_t node = operand_node(solver, at, i);
		if (node == NODE_EMPTY || whole_operand(solver->whole, at, i) == at->result || node == only)
			continue;
		is_many |= only != NODE_EMPTY;
		only = node;
	}
	if (!is_many) {
		set_result(&solver->values, &solver->nodes, at, only);
		return;
	}
	uint32_t result = value_node(solver, at->result);
	for (uint32_t i = 0; i < at->operand_count; i++) {
		uint32_t node = operand_node(solver, at, i);
		if (node != NODE_EMPTY)
			node_add_edge(&solver->nodes, node, result);
	}
}

/* Whether an offset is added to what came out of it before, in a loop: then any multiple of it is added. */
static bool is_in_cycle(const struct whole *whole, const struct whole_instruction *at)
{
	struct set seen = { 0 };
	uint32_t first = whole_operand(whole, at, 0);
	bool is_found = false;
	set_add(&seen, first);
	for (uint32_t i = 0; i < seen.count && i < MAX_SEARCHED && !is_found; i++) {
		const struct whole_value *value = &whole->value[seen.items[i]];
		if (value->kind != WHOLE_RESULT)
			continue;
		const struct whole_instruction *maker = &whole->instruction[value->index];
		is_found = maker == at;
		if (maker->op != WHOLE_COPY && maker->op != WHOLE_OFFSET)
			continue;
		for (uint32_t j = 0; j < (maker->op == WHOLE_COPY ? maker->operand_count : 1); j++)
			set_add(&seen, whole_operand(whole, maker, j));
	}
	set_release(&seen);
	return is_found;
}

static void offset(struct solver *solver, const struct whole_instruction *at)
{
	uint32_t from = operand_node(solver, at, 0);
	int64_t distance = at->offset, stride = (int64_t)at->stride;
	if (distance && from != NODE_EMPTY && is_in_cycle(solver->whole, at)) {
		stride = (int64_t)greatest_divisor((uint64_t)llabs(distance), at->stride);
		distance = 0;
	}
	if (from == NODE_EMPTY || (!distance && !stride)) {
		set_result(&solver->values, &solver->nodes, at, from);
		return;
	}
	struct index_key key = {
		.kind = INDEX_VALUE_OFFSET, .a = from, .b = distance, .c = stride, .d = at->is_number
	};
	uint32_t kind = at->is_number ? CONSTRAINT_SUM : CONSTRAINT_OFFSET;
	uint32_t node = index_find(&solver->values.index, &key);
	if (node == NONE) {
		node = node_new(&solver->nodes);
		*index_slot(&solver->values.index, &key) = node;
		node_add_constraint(solver, from, (struct constraint){ kind, node, distance, stride });
	}
	set_result(&solver->values, &solver->nodes, at, node);
}

/* How much of an access may be pointers; unknown sizes are one. */
static int64_t pointer_bytes(const struct whole_instruction *at)
{
	/* Bit fields with an address in them may have fewer bytes. */
	bool is_most = at->size_bytes > POINTER_BYTES / 2 && at->size_bytes < POINTER_BYTES;
	return at->size_bytes && !is_most ? (int64_t)(at->size_bytes / POINTER_BYTES * POINTER_BYTES) : POINTER_BYTES;
}

/* The node of what is loaded through another. */
static uint32_t loaded_node(struct solver *solver, uint32_t from, int64_t bytes)
{
	struct index_key key = { .kind = INDEX_VALUE_LOAD, .a = from, .b = bytes };
	uint32_t node = index_find(&solver->values.index, &key);
	if (node == NONE) {
		node = node_new(&solver->nodes);
		*index_slot(&solver->values.index, &key) = node;
		node_add_constraint(solver, from, (struct constraint){ CONSTRAINT_LOAD, node, bytes, 0 });
	}
	return node;
}

static void load(struct solver *solver, const struct whole_instruction *at)
{
	uint32_t from = operand_node(solver, at, 0);
	int64_t bytes = pointer_bytes(at);
	if (at->result == NONE)
		return;
	set_result(&solver->values, &solver->nodes, at,
		   from == NODE_EMPTY || !bytes ? NODE_EMPTY : loaded_node(solver, from, bytes));
}

static void add_store(struct solver *solver, uint32_t to, uint32_t from, int64_t bytes)
{
	if (to == NODE_EMPTY || from == NODE_EMPTY || !bytes)
		return;
	uint32_t *known = index_slot(&solver->values.index,
				     &(struct index_key){ INDEX_STORE, to, .b = from, .c = bytes, .d = 0 });
	if (*known != NONE)
		return;
	*known = 1;
	node_add_constraint(solver, to, (struct constraint){ CONSTRAINT_STORE, from, bytes, 0 });
}

/* A part of a pointer that goes to memory: code that copies byte by byte copies the first byte, too, and that stands
 * for the whole pointer. Everything but this function treats what is loaded in parts as a number: else each number in
 * memory of which little is known would be a pointer. */
static void copy_part(struct solver *solver, uint32_t to, uint32_t value, uint64_t size_bytes, unsigned depth)
{
	enum { DEEPEST = 4 };
	const struct whole *whole = solver->whole;
	const struct whole_value row = whole->value[value];
	if (!depth)
		add_store(solver, to, value_node(solver, value), POINTER_BYTES);
	if (row.kind != WHOLE_RESULT || depth == DEEPEST)
		return;
	const struct whole_instruction made = whole->instruction[row.index];
	for (uint32_t i = 0; made.op == WHOLE_COPY && i < made.operand_count; i++)
		copy_part(solver, to, whole_operand(whole, &made, i), size_bytes, depth + 1);
	uint32_t from =
		made.op == WHOLE_LOAD && made.size_bytes == size_bytes ? operand_node(solver, &made, 0) : NODE_EMPTY;
	if (from != NODE_EMPTY)
		add_store(solver, to, loaded_node(solver, from, POINTER_BYTES), POINTER_BYTES);
}

static void store(struct solver *solver, const struct whole_instruction *at)
{
	uint32_t to = operand_node(solver, at, 0), value = whole_operand(solver->whole, at, 1);
	int64_t bytes = pointer_bytes(at);
	if (bytes)
		add_store(solver, to, value_node(solver, value), bytes);
	else if (to != NODE_EMPTY && at->op == WHOLE_STORE)
		copy_part(solver, to, value, at->size_bytes, 0);
}

static void move(struct solver *solver, const struct whole_instruction *at)
{
	uint32_t to = operand_node(solver, at, 0), from = operand_node(solver, at, 1);
	if (to == NODE_EMPTY || from == NODE_EMPTY || (at->size_bytes && at->size_bytes < POINTER_BYTES))
		return;
	uint32_t number = move_new(&solver->moves, at->size_bytes);
	node_add_constraint(solver, to, (struct constraint){ CONSTRAINT_IN, number, 0, 0 });
	node_add_constraint(solver, from, (struct constraint){ CONSTRAINT_OUT, number, 0, 0 });
}

static void call(struct solver *solver, uint32_t instruction, const struct whole_instruction *at)
{
	uint32_t result = at->result == NONE ? NONE : value_node(solver, at->result);
	uint32_t index = call_new(&solver->calls, instruction, result);
	wrapper_note_call(&solver->wrappers, &solver->calls, index, at->function);
	uint32_t callee = whole_direct_callee(solver->whole, at);
	uint32_t pointer = callee == NONE ? operand_node(solver, at, 0) : NODE_EMPTY;
	if (callee != NONE)
		call_resolve(solver, index, callee);
	else if (pointer != NODE_EMPTY)
		node_add_constraint(solver, pointer, (struct constraint){ CONSTRAINT_CALLEE, index, 0, 0 });
}

static void generate_instruction(struct solver *solver, uint32_t index)
{
	const struct whole_instruction at = solver->whole->instruction[index];
	const struct whole_instruction *row = &solver->whole->instruction[index];
	switch ((enum whole_op)at.op) {
	case WHOLE_COPY:
		copy(solver, row);
		break;
	case WHOLE_OFFSET:
		if (!adjust_assume(solver, index))
			offset(solver, row);
		break;
	case WHOLE_SLOT:
		if (at.result != NONE)
			node_add_cell(solver, value_node(solver, at.result), cell_at(solver, at.object, 0));
		break;
	case WHOLE_LOAD:
		load(solver, row);
		break;
	case WHOLE_STORE:
		store(solver, row);
		break;
	case WHOLE_UPDATE:
		load(solver, row);
		store(solver, row);
		break;
	case WHOLE_MOVE:
		move(solver, row);
		break;
	case WHOLE_CALL:
		call(solver, index, row);
		break;
	case WHOLE_RETURN:
		if (at.operand_count && operand_node(solver, row, 0) != NODE_EMPTY)
			node_add_edge(&solver->nodes, operand_node(solver, row, 0),
				      function_return_node(&solver->functions, &solver->nodes, at.function));
		break;
	case WHOLE_FILL:
	case WHOLE_ASSEMBLY:
	case WHOLE_FORGE:
	case WHOLE_OTHER:
		set_result(&solver->values, &solver->nodes, row, NODE_EMPTY);
	}
	/* Later queries for the target of an access must get an answer even where no pointer moves: memset, the strings
	 * of strcmp. */
	for (uint32_t i = 0; i < at.access_count; i++)
		value_node(solver, solver->whole->access[at.first_access + i].pointer);
}

void reach_function(struct reach *reach, const struct whole *whole, uint32_t function)
{
	if (reach->is_reached[function] || !whole->function[function].is_defined)
		return;
	reach->is_reached[function] = 1;
	reach->functions = table_grow(reach->functions, reach->count, &reach->room, sizeof *reach->functions);
	reach->functions[reach->count++] = function;
}

void generate_reached(struct solver *solver)
{
	while (solver->reach.count) {
		uint32_t function = solver->reach.functions[--solver->reach.count];
		const struct whole_function row = solver->whole->function[function];
		for (uint32_t i = 0; i < row.instruction_count; i++)
			generate_instruction(solver, row.first_instruction + i);
	}
}
