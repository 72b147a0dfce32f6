/* verify.c: see whole_verify in whole.h. One pass over each table; what it looks for could only be our own fault, so it ends in BUG. */
#include "analysis/program/whole.h"
#include "base/err.h"

static void check_range(const char *what, uint32_t row, uint32_t first, uint32_t count, uint32_t limit)
{
	if (count && (first >= limit || count > limit - first))
		BUG("%s %u has rows %u to %u of %u", what, row, first, first + count, limit);
}

/* An index, or none. */
static void check_index(const char *what, uint32_t row, uint32_t index, uint32_t limit)
{
	if (index != WHOLE_NONE && index >= limit)
		BUG("%s %u names row %u of %u", what, row, index, limit);
}

static void check_functions(const struct whole *whole)
{
	for (uint32_t i = 0; i < whole->function_count; i++) {
		const struct whole_function *row = &whole->function[i];
		check_range("function's blocks:", i, row->first_block, row->block_count, whole->block_count);
		check_range("function's instructions:", i, row->first_instruction, row->instruction_count,
			    whole->instruction_count);
		check_range("function's parameters:", i, row->first_parameter,
			    row->parameter_count ? row->parameter_count + row->is_variadic : 0, whole->value_count);
		if (row->object >= whole->object_count || whole->object[row->object].kind != WHOLE_CODE ||
		    whole->object[row->object].function != i)
			BUG("function %u and its code do not belong together", i);
		if (!row->is_defined && row->block_count)
			BUG("function %u has code and is not defined", i);
		for (uint32_t at = 0; at < row->block_count; at++)
			if (whole->block[row->first_block + at].function != i)
				BUG("a block of function %u is another's", i);
	}
}

static void check_blocks(const struct whole *whole)
{
	for (uint32_t i = 0; i < whole->block_count; i++) {
		const struct whole_block *row = &whole->block[i];
		check_range("block's instructions:", i, row->first_instruction, row->instruction_count,
			    whole->instruction_count);
		check_range("block's successors:", i, row->first_successor, row->successor_count,
			    whole->successor_count);
		for (uint32_t at = 0; at < row->instruction_count; at++)
			if (whole->instruction[row->first_instruction + at].block != i)
				BUG("an instruction of block %u is another's", i);
		for (uint32_t at = 0; at < row->successor_count; at++) {
			uint32_t next = whole->successors[row->first_successor + at];
			if (next >= whole->block_count || whole->block[next].function != row->function)
				BUG("block %u is followed by %u, which is not in its function", i, next);
		}
	}
}

static void check_instructions(const struct whole *whole)
{
	for (uint32_t i = 0; i < whole->instruction_count; i++) {
		const struct whole_instruction *row = &whole->instruction[i];
		if (row->function >= whole->function_count)
			BUG("instruction %u is in no function", i);
		check_range("instruction's operands:", i, row->first_operand, row->operand_count, whole->operand_count);
		check_range("instruction's accesses:", i, row->first_access, row->access_count, whole->access_count);
		check_index("instruction's result:", i, row->result, whole->value_count);
		check_index("instruction's place:", i, row->place, whole->place_count);
		if (row->op == WHOLE_SLOT &&
		    (row->object >= whole->object_count || whole->object[row->object].kind != WHOLE_STACK))
			BUG("instruction %u makes no stack object", i);
		if (row->result != WHOLE_NONE &&
		    (whole->value[row->result].kind != WHOLE_RESULT || whole->value[row->result].index != i))
			BUG("the result of instruction %u is another's", i);
		for (uint32_t at = 0; at < row->access_count; at++)
			if (whole->access[row->first_access + at].instruction != i)
				BUG("an access of instruction %u is another's", i);
	}
	for (uint32_t i = 0; i < whole->operand_count; i++)
		check_index("operand", i, whole->operands[i], whole->value_count);
}

static void check_data(const struct whole *whole)
{
	for (uint32_t i = 0; i < whole->access_count; i++) {
		const struct whole_access *row = &whole->access[i];
		if (row->instruction >= whole->instruction_count)
			BUG("access %u is of no instruction", i);
		check_index("access's pointer:", i, row->pointer, whole->value_count);
		check_index("access's tag:", i, row->tag, whole->tag_count);
	}
	for (uint32_t i = 0; i < whole->object_count; i++) {
		const struct whole_object *row = &whole->object[i];
		if (!i != (row->kind == WHOLE_OUTSIDE))
			BUG("object %u: the first one, and no other, is the outside", i);
		check_index("object's function:", i, row->function, whole->function_count);
		check_index("object's layout:", i, row->layout, whole->layout_count);
		check_index("object's place:", i, row->place, whole->place_count);
		check_range("object's initial values:", i, row->first_initial, row->initial_count,
			    whole->initial_count);
	}
	for (uint32_t i = 0; i < whole->value_count; i++) {
		const struct whole_value *row = &whole->value[i];
		check_index("value's function:", i, row->function, whole->function_count);
		if (row->kind == WHOLE_ADDRESS && row->index >= whole->object_count)
			BUG("value %u is the address of nothing", i);
	}
	for (uint32_t i = 0; i < whole->layout_count; i++)
		check_range("layout's arrays:", i, whole->layout[i].first_array, whole->layout[i].array_count,
			    whole->array_count);
	for (uint32_t i = 0; i < whole->place_count; i++)
		check_index("place", i, whole->place[i].inlined_at, whole->place_count);
}

void whole_verify(const struct whole *whole)
{
	check_functions(whole);
	check_blocks(whole);
	check_instructions(whole);
	check_data(whole);
}
