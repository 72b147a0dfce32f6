/*
 * states.c: what a std::thread runs, read from its construction. The constructor makes an object of a class that no
 * other code instantiates, puts it into a unique_ptr, and hands that to the library. Points-to does not distinguish
 * unique_ptrs that one copy of their constructor has filled, and unoptimised code has one copy for the whole program.
 * So this file follows the stack slot of the unique_ptr: when it receives only blocks that are made in the same
 * function, and the virtual table that each of them gets is known, its method is what runs. Anything not of this form
 * is left to points-to.
 * Input: struct flow_program. Result: a list of functions, for threads.c.
 */
#include <string.h>

#include "analysis/flow/program.h"
#include "analysis/flow/threads.h"

/* The virtual function that runs, after the address that the object has of its table. */
enum { METHOD_OFFSET = 16 };

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* The constructors and destructors of std::unique_ptr<std::thread::_State>: the first keep what they are given, and no more. */
static bool is_pointer_function(const char *name, bool *is_constructor)
{
	static const char *const class = "_ZNSt10unique_ptrINSt6thread6_StateESt14default_deleteIS1_EE";
	if (!begins(name, class))
		return false;
	const char *rest = name + strlen(class);
	*is_constructor = begins(rest, "C1IS3_vEEPS1_") || begins(rest, "C2IS3_vEEPS1_");
	return *is_constructor || strcmp(rest, "D1Ev") == 0 || strcmp(rest, "D2Ev") == 0;
}

/* Whether the value is `base` itself, at no distance from it. */
static bool is_value(const struct whole *whole, uint32_t value, uint32_t base)
{
	int64_t distance;
	return value != WHOLE_NONE && whole_base(whole, value, &distance) == base && !distance;
}

/* The table whose address is stored at the start of `object` by instructions of the function: one and the same, in `*table`. */
static bool find_table(const struct whole *whole, uint32_t function, uint32_t object, uint32_t *table)
{
	const struct whole_function *body = &whole->function[function];
	uint32_t found = WHOLE_NONE;
	for (uint32_t i = 0; i < body->instruction_count; i++) {
		const struct whole_instruction *row = &whole->instruction[body->first_instruction + i];
		if (row->op != WHOLE_STORE || !is_value(whole, whole_operand(whole, row, 0), object))
			continue;
		uint32_t value = whole_operand(whole, row, 1);
		if (whole->value[value].kind != WHOLE_ADDRESS || (found != WHOLE_NONE && found != value))
			return false;
		found = value;
	}
	*table = found;
	return found != WHOLE_NONE;
}

/* The function in a table, METHOD_OFFSET after an address in it. */
static uint32_t method_of(const struct whole *whole, uint32_t table)
{
	const struct whole_value *at = &whole->value[table];
	const struct whole_object *object = &whole->object[at->index];
	for (uint32_t i = 0; i < object->initial_count; i++) {
		const struct whole_initial *initial = &whole->initial[object->first_initial + i];
		const struct whole_value *value = &whole->value[initial->value];
		if ((int64_t)initial->offset == at->offset + METHOD_OFFSET && value->kind == WHOLE_ADDRESS &&
		    !value->offset && whole->object[value->index].kind == WHOLE_CODE)
			return whole->object[value->index].function;
	}
	return WHOLE_NONE;
}

/* A constructor, which sets the table of its class after those of its bases. */
static bool is_constructor(const char *name)
{
	return begins(name, "_ZNSt6thread11_State_implI") && (strstr(name, "C2I") || strstr(name, "C1I"));
}

/* What runs when it is the block that `block`, a value, is. */
static bool add_block(const struct flow_program *program, uint32_t function, uint32_t block, struct flow_ids *routines)
{
	const struct whole *whole = program->whole;
	const struct whole_function *body = &whole->function[function];
	int64_t distance;
	block = whole_base(whole, block, &distance);
	const struct whole_value *value = &whole->value[block];
	if (distance || value->kind != WHOLE_RESULT || points_made_by(program->points, value->index) == WHOLE_NONE)
		return false;
	uint32_t table = WHOLE_NONE;
	find_table(whole, function, block, &table);
	for (uint32_t i = 0; i < body->instruction_count && table == WHOLE_NONE; i++) {
		const struct whole_instruction *row = &whole->instruction[body->first_instruction + i];
		uint32_t callee = row->op == WHOLE_CALL ? whole_direct_callee(whole, row) : WHOLE_NONE;
		if (callee != WHOLE_NONE && whole->function[callee].is_defined &&
		    is_value(whole, whole_operand(whole, row, 1), block) &&
		    is_constructor(whole->function[callee].name))
			find_table(whole, callee, whole->function[callee].first_parameter, &table);
	}
	uint32_t method = table == WHOLE_NONE ? WHOLE_NONE : method_of(whole, table);
	if (method == WHOLE_NONE || !whole->function[method].is_defined)
		return false;
	flow_ids_add_new(routines, method);
	return true;
}

/* One instruction that has the slot as an operand. */
static bool add_use(const struct flow_program *program, uint32_t index, uint32_t slot, struct flow_ids *routines)
{
	const struct whole *whole = program->whole;
	const struct whole_instruction *row = &whole->instruction[index];
	if (row->op == WHOLE_LOAD)
		return true;
	if (row->op == WHOLE_STORE) {
		uint32_t value = whole_operand(whole, row, 1);
		return is_value(whole, whole_operand(whole, row, 0), slot) && !is_value(whole, value, slot) &&
		       (whole->value[value].kind == WHOLE_NUMBER || add_block(program, row->function, value, routines));
	}
	uint32_t callee = row->op == WHOLE_CALL ? whole_direct_callee(whole, row) : WHOLE_NONE;
	bool is_filled = false;
	if (callee == WHOLE_NONE || !is_value(whole, whole_operand(whole, row, 1), slot) ||
	    !is_pointer_function(whole->function[callee].name, &is_filled))
		return false;
	return !is_filled || add_block(program, row->function, whole_operand(whole, row, 2), routines);
}

bool flow_state_routines(const struct flow_program *program, uint32_t call, int argument, struct flow_ids *routines)
{
	const struct whole *whole = program->whole;
	const struct whole_function *body = &whole->function[whole->instruction[call].function];
	uint32_t given = flow_argument(program, call, argument);
	int64_t distance;
	uint32_t slot = given == WHOLE_NONE ? WHOLE_NONE : whole_base(whole, given, &distance);
	if (slot == WHOLE_NONE || distance || whole->value[slot].kind != WHOLE_RESULT ||
	    whole->instruction[whole->value[slot].index].op != WHOLE_SLOT)
		return false;
	for (uint32_t i = 0; i < body->instruction_count; i++) {
		const struct whole_instruction *row = &whole->instruction[body->first_instruction + i];
		uint32_t uses = 0;
		for (uint32_t o = 0; o < row->operand_count; o++) {
			int64_t at;
			uses += whole_base(whole, whole->operands[row->first_operand + o], &at) == slot;
		}
		bool is_start = body->first_instruction + i == call && uses == 1;
		/* To be a copy of one operand is to be the slot: its uses are seen. */
		bool is_same = row->op == WHOLE_COPY && row->operand_count == 1;
		if (uses && !is_start && !is_same &&
		    (uses > 1 || !add_use(program, body->first_instruction + i, slot, routines))) {
			routines->count = 0;
			return false;
		}
	}
	return routines->count != 0;
}
