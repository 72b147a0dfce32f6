/*
 * adjust.c: how far a call by a pointer to a member moves `this`. In the Itanium C++ ABI such a pointer is a function, or an offset in
 * the table of virtual functions, and a number of bytes to add to the object's address. That number comes from memory, and is zero but
 * for members of a base class that is not the first. It is assumed to be zero; when everything is solved, a check
 * looks for anything else that is ever stored or copied to where it is loaded from. If there is something, the pointer
 * may be anywhere in its object, and solving continues with that.
 */
#include "analysis/points/adjust.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/points/solver.h"

enum { NUMBER_BYTES = 8, MAX_ASKED = 4096 };

static bool is_indirect_call_on(const struct whole *whole, const struct whole_instruction *at, uint32_t value)
{
	return at->op == WHOLE_CALL && whole_direct_callee(whole, at) == NONE && whole_operand(whole, at, 1) == value;
}

/* A distance in bytes that is loaded, added to what becomes the first argument of a call by pointer. */
static bool is_adjustment(const struct whole *whole, const struct whole_instruction *at)
{
	uint32_t index = whole_operand(whole, at, 1);
	if (at->op != WHOLE_OFFSET || at->stride != 1 || at->offset || index == NONE ||
	    whole->value[index].kind != WHOLE_RESULT)
		return false;
	const struct whole_instruction *load = &whole->instruction[whole->value[index].index];
	if (load->op != WHOLE_LOAD || load->size_bytes != NUMBER_BYTES)
		return false;
	const struct whole_function *function = &whole->function[at->function];
	for (uint32_t i = 0; i < function->instruction_count; i++)
		if (is_indirect_call_on(whole, &whole->instruction[function->first_instruction + i], at->result))
			return true;
	return false;
}

bool adjust_assume(struct solver *solver, uint32_t instruction)
{
	const struct whole_instruction *at = &solver->whole->instruction[instruction];
	uint32_t from = value_node(solver, whole_operand(solver->whole, at, 0));
	if (from == NODE_EMPTY || !is_adjustment(solver->whole, at))
		return false;
	/* A node of its own: it may be distinguished from what it is added to later. */
	node_add_edge(&solver->nodes, from, value_node(solver, at->result));
	solver->adjusts.rows = table_grow(solver->adjusts.rows, solver->adjusts.count, &solver->adjusts.room,
					  sizeof *solver->adjusts.rows);
	solver->adjusts.rows[solver->adjusts.count++] = (struct adjust){ .instruction = instruction };
	return true;
}

/* ---- whether a number is always zero ---- */

struct place {
	uint32_t object;
	uint64_t offset;
};

struct question {
	struct solver *solver;
	struct set values; /* that must be zero */
	struct place *places;
	uint32_t place_count, place_room;
};

static bool ask_place(struct question *question, uint32_t object, int64_t offset)
{
	struct solver *solver = question->solver;
	const struct whole_object *row = &solver->whole->object[object];
	const struct target *target = cell_target(&solver->cells, object);
	uint64_t folded;
	/* Variables begin with numbers that are not known here. */
	if ((row->kind != WHOLE_STACK && row->kind != WHOLE_HEAP) || target->is_outside || target->is_lumped ||
	    target->step || offset < 0 || !whole_fold(solver->whole, row, (uint64_t)offset, &folded, NULL))
		return false;
	for (uint32_t i = 0; i < question->place_count; i++)
		if (question->places[i].object == object && question->places[i].offset == folded)
			return true;
	question->places =
		table_grow(question->places, question->place_count, &question->place_room, sizeof *question->places);
	question->places[question->place_count++] = (struct place){ object, folded };
	return question->place_count < MAX_ASKED;
}

/* All that is `distance` bytes after what the pointer points to. */
static bool ask_places(struct question *question, uint32_t pointer, int64_t distance)
{
	struct solver *solver = question->solver;
	uint32_t node = value_node(solver, pointer), cell;
	for (struct bits_at at = { .bits = &solver->nodes.rows[node].points }; bits_next(&at, &cell);) {
		const struct cell *row = &solver->cells.rows[cell_find(&solver->cells, cell)];
		if (row->offset == CELL_ANYWHERE || !ask_place(question, row->object, row->offset + distance))
			return false;
	}
	return true;
}

static bool ask_callers(struct question *question, const struct whole_value *parameter)
{
	struct solver *solver = question->solver;
	uint32_t function = parameter->function;
	if (set_has(&solver->outside.functions, function) || set_has(&solver->crowd.functions, function) ||
	    strcmp(solver->whole->function[function].name, "main") == 0)
		return false;
	for (unsigned i = 0; i < MODEL_PLACE_COUNT; i++)
		if (set_has(&solver->places.functions[i], function))
			return false;
	for (uint32_t i = 0; i < solver->calls.count; i++) {
		const struct call *call = &solver->calls.rows[i];
		if (set_has(&call->callbacks, function) || set_has(&call->routines, function))
			return false;
		if (!set_has(&call->callees, function))
			continue;
		uint32_t argument = whole_operand(solver->whole, &solver->whole->instruction[call->instruction],
						  parameter->index + 1);
		if (argument == NONE)
			return false;
		set_add(&question->values, argument);
	}
	return true;
}

static bool ask_value(struct question *question, uint32_t value)
{
	const struct whole *whole = question->solver->whole;
	const struct whole_value *row = &whole->value[value];
	if (row->kind == WHOLE_NUMBER)
		return !row->offset;
	if (row->kind == WHOLE_PARAMETER)
		return ask_callers(question, row);
	if (row->kind != WHOLE_RESULT)
		return false;
	const struct whole_instruction *at = &whole->instruction[row->index];
	if (at->op == WHOLE_LOAD)
		return at->size_bytes == NUMBER_BYTES && ask_places(question, whole_operand(whole, at, 0), 0);
	if (at->op != WHOLE_COPY)
		return false;
	for (uint32_t i = 0; i < at->operand_count; i++)
		set_add(&question->values, whole_operand(whole, at, i));
	return at->operand_count != 0;
}

/* Compilers copy a pair as one vector. */
static bool is_copy(const struct whole *whole, const struct whole_instruction *at)
{
	const struct whole_value *value = &whole->value[whole_operand(whole, at, 1)];
	if (at->op != WHOLE_STORE || value->kind != WHOLE_RESULT)
		return false;
	const struct whole_instruction *load = &whole->instruction[value->index];
	return load->op == WHOLE_LOAD && load->size_bytes == at->size_bytes && at->size_bytes > NUMBER_BYTES;
}

/* What is written to a place, by an instruction whose pointer is `distance` bytes before it. */
static bool ask_write(struct question *question, const struct whole_instruction *at, int64_t distance)
{
	const struct whole *whole = question->solver->whole;
	uint32_t value = whole_operand(whole, at, 1);
	if (at->op == WHOLE_MOVE)
		return at->size_bytes && distance >= 0 && distance + NUMBER_BYTES <= (int64_t)at->size_bytes &&
		       ask_places(question, value, distance);
	if (at->op == WHOLE_STORE && whole->value[value].kind == WHOLE_NUMBER && !whole->value[value].offset)
		return true;
	if (is_copy(whole, at))
		return distance >= 0 && distance + NUMBER_BYTES <= (int64_t)at->size_bytes &&
		       ask_places(question, whole_operand(whole, &whole->instruction[whole->value[value].index], 0),
				  distance);
	if (at->op != WHOLE_STORE || at->size_bytes != NUMBER_BYTES || distance)
		return false;
	set_add(&question->values, value);
	return true;
}

static bool ask_writer(struct question *question, const struct whole_instruction *at, const struct place *place)
{
	struct solver *solver = question->solver;
	uint32_t node = value_node(solver, whole_operand(solver->whole, at, 0)), cell;
	for (struct bits_at in = { .bits = &solver->nodes.rows[node].points }; bits_next(&in, &cell);) {
		const struct cell *row = &solver->cells.rows[cell_find(&solver->cells, cell)];
		if (row->object != place->object)
			continue;
		int64_t distance = (int64_t)place->offset - row->offset;
		bool is_apart = at->size_bytes && row->offset != CELL_ANYWHERE &&
				(distance >= (int64_t)at->size_bytes || distance <= -NUMBER_BYTES);
		if (!is_apart && (row->offset == CELL_ANYWHERE || !ask_write(question, at, distance)))
			return false;
	}
	return true;
}

/* Functions of the models that write no numbers to what they are given. */
static bool is_harmless(const struct model *model)
{
	return model && (model->frees || model->sync != MODEL_SYNC_NONE || strncmp(model->name, "llvm.", 5) == 0 ||
			 strncmp(model->name, "_ZNSt6thread6_State", 19) == 0);
}

static bool is_given(struct solver *solver, const struct call *call, uint32_t object)
{
	const struct whole_instruction *at = &solver->whole->instruction[call->instruction];
	for (uint32_t o = 1; o < at->operand_count; o++) {
		uint32_t node = value_node(solver, whole_operand(solver->whole, at, o)), cell;
		for (struct bits_at in = { .bits = &solver->nodes.rows[node].points }; bits_next(&in, &cell);)
			if (solver->cells.rows[cell].object == object)
				return true;
	}
	return false;
}

static bool ask_calls(struct question *question, const struct place *place)
{
	struct solver *solver = question->solver;
	for (uint32_t i = 0; i < solver->calls.count; i++) {
		const struct call *call = &solver->calls.rows[i];
		for (uint32_t c = 0; c < call->callees.count; c++) {
			const struct whole_function *callee = &solver->whole->function[call->callees.items[c]];
			if (!callee->is_defined && !is_harmless(model_find(callee->name)) &&
			    is_given(solver, call, place->object))
				return false;
		}
	}
	return true;
}

static bool ask_writers(struct question *question, const struct place *place)
{
	struct solver *solver = question->solver;
	const struct whole *whole = solver->whole;
	for (uint32_t i = 0; i < solver->calls.instruction_count; i++) {
		const struct whole_instruction *at = &whole->instruction[i];
		bool is_write = at->op == WHOLE_STORE || at->op == WHOLE_UPDATE || at->op == WHOLE_MOVE ||
				at->op == WHOLE_FILL || at->op == WHOLE_ASSEMBLY;
		if (is_write && at->function != NONE && solver->reach.is_reached[at->function] && at->operand_count &&
		    !ask_writer(question, at, place))
			return false;
	}
	return ask_calls(question, place);
}

static bool is_zero(struct solver *solver, uint32_t value)
{
	struct question question = { .solver = solver };
	uint32_t values = 0, places = 0;
	bool is = true;
	set_add(&question.values, value);
	while (is && (values < question.values.count || places < question.place_count)) {
		if (values < question.values.count)
			is = ask_value(&question, question.values.items[values++]);
		else {
			struct place place = question.places[places++];
			is = ask_writers(&question, &place);
		}
		is &= question.values.count < MAX_ASKED;
	}
	set_release(&question.values);
	free(question.places);
	return is;
}

bool adjust_check(struct solver *solver)
{
	bool is_changed = false;
	for (uint32_t i = 0; i < solver->adjusts.count; i++) {
		struct adjust *adjust = &solver->adjusts.rows[i];
		const struct whole_instruction at = solver->whole->instruction[adjust->instruction];
		if (adjust->is_void ||
		    (!solver->nodes.is_unifying && is_zero(solver, whole_operand(solver->whole, &at, 1))))
			continue;
		solver->adjusts.rows[i].is_void = is_changed = true;
		node_add_constraint(
			solver, value_node(solver, whole_operand(solver->whole, &at, 0)),
			(struct constraint){ CONSTRAINT_OFFSET, value_node(solver, at.result), 0, (int64_t)at.stride });
	}
	return is_changed;
}

void adjust_finish(const struct adjust_table *adjusts, struct whole *whole)
{
	for (uint32_t i = 0; i < adjusts->count; i++)
		if (!adjusts->rows[i].is_void)
			whole->instruction[adjusts->rows[i].instruction].stride = 0;
}

void adjust_table_release(struct adjust_table *adjusts)
{
	free(adjusts->rows);
}
