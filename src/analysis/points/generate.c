/*
 * generate.c: the constraints of the program, function by function as they are reached from main (or, in a library, from what it
 * exports): what never runs does not blur what does. Values that are bound to have the same set are the same node from the
 * start (Hardekopf, Lin, "Exploiting pointer and location equivalence to optimize pointer analysis", SAS 2007): loads through the
 * same pointer, the same distance from the same pointer, copies of one value.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/points/points_priv.h"

enum { POINTER_BYTES = 8, MOST_SEARCHED = 2000 };

uint32_t points_value_node(struct points *points, uint32_t value)
{
	if (value == NONE)
		return NODE_EMPTY;
	const struct whole_value row = points->whole->value[value];
	uint32_t *node = &points->values.node[value];
	if (*node != NONE)
		return node_find(points, *node);
	if (row.kind == WHOLE_NUMBER || row.kind == WHOLE_OPAQUE)
		return *node = NODE_EMPTY;
	uint32_t cell = row.kind == WHOLE_ADDRESS ? cell_at(points, row.index, row.offset) : NONE;
	/* Far from the variable, or a function with a tag: a number that may become its address again. */
	if (row.kind == WHOLE_ADDRESS && cell == NONE && row.offset)
		cell = cell_at(points, row.index,
			       points->whole->object[row.index].kind == WHOLE_CODE ? 0 : CELL_ANYWHERE);
	if (row.kind == WHOLE_ADDRESS && cell == NONE)
		return points->values.node[value] = NODE_EMPTY;
	points->values.node[value] = node_new(points);
	node_add_cell(points, points->values.node[value], cell);
	return points->values.node[value];
}

static uint32_t operand_node(struct points *points, const struct whole_instruction *at, uint32_t number)
{
	return points_value_node(points, whole_operand(points->whole, at, number));
}

/* The result is what the node is. If it was used before it was made, it has a node of its own already. */
static void set_result(struct points *points, const struct whole_instruction *at, uint32_t node)
{
	if (at->result == NONE)
		return;
	if (points->values.node[at->result] == NONE)
		points->values.node[at->result] = node;
	else if (node != NODE_EMPTY)
		node_add_edge(points, node, points->values.node[at->result]);
}

static void copy(struct points *points, const struct whole_instruction *at)
{
	uint32_t only = NODE_EMPTY;
	bool is_many = false;
	for (uint32_t i = 0; i < at->operand_count; i++) {
		uint32_t node = operand_node(points, at, i);
		if (node == NODE_EMPTY || whole_operand(points->whole, at, i) == at->result || node == only)
			continue;
		is_many |= only != NODE_EMPTY;
		only = node;
	}
	if (!is_many) {
		set_result(points, at, only);
		return;
	}
	uint32_t result = points_value_node(points, at->result);
	for (uint32_t i = 0; i < at->operand_count; i++) {
		uint32_t node = operand_node(points, at, i);
		if (node != NODE_EMPTY)
			node_add_edge(points, node, result);
	}
}

/* Whether an offset is added to what came out of it before, in a loop: then any multiple of it is added. */
static bool is_in_cycle(struct points *points, const struct whole_instruction *at)
{
	const struct whole *whole = points->whole;
	struct set seen = { 0 };
	uint32_t first = whole_operand(whole, at, 0);
	bool is_found = false;
	set_add(&seen, first);
	for (uint32_t i = 0; i < seen.count && i < MOST_SEARCHED && !is_found; i++) {
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

static void offset(struct points *points, const struct whole_instruction *at)
{
	uint32_t from = operand_node(points, at, 0);
	int64_t distance = at->offset, stride = (int64_t)at->stride;
	if (distance && from != NODE_EMPTY && is_in_cycle(points, at)) {
		uint64_t a = (uint64_t)llabs(distance), b = at->stride;
		while (b) {
			uint64_t rest = a % b;
			a = b;
			b = rest;
		}
		stride = (int64_t)a;
		distance = 0;
	}
	if (from == NODE_EMPTY || (!distance && !stride)) {
		set_result(points, at, from);
		return;
	}
	struct index_key key = {
		.kind = INDEX_VALUE_OFFSET, .a = from, .b = distance, .c = stride, .d = at->is_number
	};
	uint32_t kind = at->is_number ? CONSTRAINT_SUM : CONSTRAINT_OFFSET;
	uint32_t node = index_find(&points->values.index, &key);
	if (node == NONE) {
		node = node_new(points);
		*index_slot(&points->values.index, &key) = node;
		node_add_constraint(points, from, (struct constraint){ kind, node, distance, stride });
	}
	set_result(points, at, node);
}

/* How much of an access may be pointers; unknown sizes are one. */
static int64_t pointer_bytes(const struct whole_instruction *at)
{
	/* Bit fields with an address in them may have fewer bytes. */
	bool is_most = at->size_bytes > POINTER_BYTES / 2 && at->size_bytes < POINTER_BYTES;
	return at->size_bytes && !is_most ? (int64_t)(at->size_bytes / POINTER_BYTES * POINTER_BYTES) : POINTER_BYTES;
}

/* The node of what is loaded through another. */
static uint32_t loaded_node(struct points *points, uint32_t from, int64_t bytes)
{
	struct index_key key = { .kind = INDEX_VALUE_LOAD, .a = from, .b = bytes };
	uint32_t node = index_find(&points->values.index, &key);
	if (node == NONE) {
		node = node_new(points);
		*index_slot(&points->values.index, &key) = node;
		node_add_constraint(points, from, (struct constraint){ CONSTRAINT_LOAD, node, bytes, 0 });
	}
	return node;
}

static void load(struct points *points, const struct whole_instruction *at)
{
	uint32_t from = operand_node(points, at, 0);
	int64_t bytes = pointer_bytes(at);
	if (at->result == NONE)
		return;
	set_result(points, at, from == NODE_EMPTY || !bytes ? NODE_EMPTY : loaded_node(points, from, bytes));
}

static void add_store(struct points *points, uint32_t to, uint32_t from, int64_t bytes)
{
	if (to == NODE_EMPTY || from == NODE_EMPTY || !bytes)
		return;
	uint32_t *known = index_slot(&points->values.index,
				     &(struct index_key){ INDEX_STORE, to, .b = from, .c = bytes, .d = 0 });
	if (*known != NONE)
		return;
	*known = 1;
	node_add_constraint(points, to, (struct constraint){ CONSTRAINT_STORE, from, bytes, 0 });
}

/* A part of a pointer that goes to memory: who copies byte by byte copies the first byte, too, and that stands for all of it. What is loaded in
 * parts is a number to all but this: else each number in memory of which little is known would be a pointer. */
static void copy_part(struct points *points, uint32_t to, uint32_t value, uint64_t size_bytes, unsigned depth)
{
	enum { DEEPEST = 4 };
	const struct whole *whole = points->whole;
	const struct whole_value row = whole->value[value];
	if (!depth)
		add_store(points, to, points_value_node(points, value), POINTER_BYTES);
	if (row.kind != WHOLE_RESULT || depth == DEEPEST)
		return;
	const struct whole_instruction made = whole->instruction[row.index];
	for (uint32_t i = 0; made.op == WHOLE_COPY && i < made.operand_count; i++)
		copy_part(points, to, whole_operand(whole, &made, i), size_bytes, depth + 1);
	uint32_t from =
		made.op == WHOLE_LOAD && made.size_bytes == size_bytes ? operand_node(points, &made, 0) : NODE_EMPTY;
	if (from != NODE_EMPTY)
		add_store(points, to, loaded_node(points, from, POINTER_BYTES), POINTER_BYTES);
}

static void store(struct points *points, const struct whole_instruction *at)
{
	uint32_t to = operand_node(points, at, 0), value = whole_operand(points->whole, at, 1);
	int64_t bytes = pointer_bytes(at);
	if (bytes)
		add_store(points, to, points_value_node(points, value), bytes);
	else if (to != NODE_EMPTY && at->op == WHOLE_STORE)
		copy_part(points, to, value, at->size_bytes, 0);
}

static void move(struct points *points, const struct whole_instruction *at)
{
	uint32_t to = operand_node(points, at, 0), from = operand_node(points, at, 1);
	if (to == NODE_EMPTY || from == NODE_EMPTY || (at->size_bytes && at->size_bytes < POINTER_BYTES))
		return;
	uint32_t number = move_new(points, at->size_bytes);
	node_add_constraint(points, to, (struct constraint){ CONSTRAINT_IN, number, 0, 0 });
	node_add_constraint(points, from, (struct constraint){ CONSTRAINT_OUT, number, 0, 0 });
}

static void call(struct points *points, uint32_t instruction, const struct whole_instruction *at)
{
	uint32_t index = points->calls.count;
	points->calls.rows = points_grow(points->calls.rows, index, &points->calls.room, sizeof *points->calls.rows);
	points->calls.count++;
	points->calls.rows[index] = (struct call){ .instruction = instruction, .made = NONE, .wrapper = NONE };
	points->calls.of_instruction[instruction] = index;
	uint32_t result = at->result == NONE ? NONE : points_value_node(points, at->result);
	points->calls.rows[index].result = result;
	const struct wrapper *wrapper = &points->wrappers.rows[at->function];
	for (uint32_t i = wrapper->is_wrapper ? wrapper->first_part : NONE; i != NONE;
	     i = points->wrappers.parts[i].next) {
		if (points->wrappers.parts[i].instruction != instruction)
			continue;
		points->calls.rows[index].wrapper = at->function;
		points->calls.rows[index].wrapper_offset = points->wrappers.parts[i].offset;
		points->calls.rows[index].wrapper_moved = points->wrappers.parts[i].moved;
	}
	uint32_t callee = whole_direct_callee(points->whole, at);
	uint32_t pointer = callee == NONE ? operand_node(points, at, 0) : NODE_EMPTY;
	if (callee != NONE)
		call_resolve(points, index, callee);
	else if (pointer != NODE_EMPTY)
		node_add_constraint(points, pointer, (struct constraint){ CONSTRAINT_CALLEE, index, 0, 0 });
}

static void generate_instruction(struct points *points, uint32_t index)
{
	const struct whole_instruction at = points->whole->instruction[index];
	const struct whole_instruction *row = &points->whole->instruction[index];
	switch (at.op) {
	case WHOLE_COPY:
		copy(points, row);
		break;
	case WHOLE_OFFSET:
		if (!adjust_assume(points, index))
			offset(points, row);
		break;
	case WHOLE_SLOT:
		if (at.result != NONE)
			node_add_cell(points, points_value_node(points, at.result), cell_at(points, at.object, 0));
		break;
	case WHOLE_LOAD:
		load(points, row);
		break;
	case WHOLE_STORE:
		store(points, row);
		break;
	case WHOLE_UPDATE:
		load(points, row);
		store(points, row);
		break;
	case WHOLE_MOVE:
		move(points, row);
		break;
	case WHOLE_CALL:
		call(points, index, row);
		break;
	case WHOLE_RETURN:
		if (at.operand_count && operand_node(points, row, 0) != NODE_EMPTY)
			node_add_edge(points, operand_node(points, row, 0), function_return_node(points, at.function));
		break;
	default:
		set_result(points, row, NODE_EMPTY);
	}
	/* Who asks later where an access goes must find out, also where no pointer moves: memset, the strings of strcmp. */
	for (uint32_t i = 0; i < at.access_count; i++)
		points_value_node(points, points->whole->access[at.first_access + i].pointer);
}

void points_reach(struct points *points, uint32_t function)
{
	if (points->reach.is_reached[function] || !points->whole->function[function].is_defined)
		return;
	points->reach.is_reached[function] = 1;
	points->reach.functions = points_grow(points->reach.functions, points->reach.count, &points->reach.room,
					      sizeof *points->reach.functions);
	points->reach.functions[points->reach.count++] = function;
}

void points_generate(struct points *points)
{
	while (points->reach.count) {
		uint32_t function = points->reach.functions[--points->reach.count];
		const struct whole_function row = points->whole->function[function];
		for (uint32_t i = 0; i < row.instruction_count; i++)
			generate_instruction(points, row.first_instruction + i);
	}
}
