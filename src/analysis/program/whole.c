/* whole.c: see whole.h. */
#include "analysis/program/whole.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* How far back whole_base goes: chains of copies are short, and a cycle of them has no base. */
enum { MAX_STEPS = 64 };

/* Room for one more row. Indexes are 32 bits wide, and one of them means none. */
static void *grow(void *rows, uint32_t count, uint32_t *room, size_t row_bytes)
{
	if (count < *room)
		return rows;
	if (count >= WHOLE_NONE / 2)
		BUG("a program with more than 2 billion rows in one table");
	*room = *room ? *room * 2 : 256;
	return mem_resize(rows, (size_t)*room * row_bytes);
}

#define ADD_ROW(whole, name)                                                                                           \
	((whole)->name = grow((whole)->name, (whole)->name##_count, &(whole)->name##_room, sizeof *(whole)->name),     \
	 memset(&(whole)->name[(whole)->name##_count], 0, sizeof *(whole)->name), (whole)->name##_count++)

struct whole *whole_new(void)
{
	struct whole *whole = mem_alloc(sizeof *whole);
	uint32_t outside = whole_add_object(whole, WHOLE_OUTSIDE);
	whole->object[outside].name = whole_string(whole, "memory of code that is not analysed");
	whole->object[outside].is_exported = true;
	return whole;
}

void whole_free(struct whole *whole)
{
	if (!whole)
		return;
	free(whole->unit);
	free(whole->function);
	free(whole->block);
	free(whole->instruction);
	free(whole->access);
	free(whole->value);
	free(whole->object);
	free(whole->initial);
	free(whole->layout);
	free(whole->array);
	free(whole->vector);
	free(whole->place);
	free(whole->gap);
	free(whole->type);
	free(whole->member);
	free(whole->tag);
	free(whole->operands);
	free(whole->successors);
	map_release(&whole->strings);
	map_release(&whole->functions);
	map_release(&whole->addresses);
	map_release(&whole->types);
	free(whole);
}

/* The map owns its keys; the value of a key is found again by asking for its slot. */
const char *whole_string(struct whole *whole, const char *text)
{
	if (!text)
		return NULL;
	return map_key(&whole->strings, text);
}

uint32_t whole_add_unit(struct whole *whole, const char *source)
{
	uint32_t index = ADD_ROW(whole, unit);
	whole->unit[index].source = whole_string(whole, source);
	whole->unit[index].first_function = whole->function_count;
	return index;
}

uint32_t whole_add_function(struct whole *whole, const char *name)
{
	uint32_t index = ADD_ROW(whole, function);
	uint32_t object = whole_add_object(whole, WHOLE_CODE);
	struct whole_function *function = &whole->function[index];
	function->name = whole_string(whole, name);
	function->unit = WHOLE_NONE;
	function->object = object;
	function->first_parameter = function->first_block = function->first_instruction = WHOLE_NONE;
	whole->object[object].function = index;
	whole->object[object].name = function->name;
	whole->object[object].is_constant = true;
	return index;
}

uint32_t whole_add_object(struct whole *whole, enum whole_object_kind kind)
{
	uint32_t index = ADD_ROW(whole, object);
	struct whole_object *object = &whole->object[index];
	object->kind = (uint8_t)kind;
	object->function = object->instruction = object->layout = object->place = WHOLE_NONE;
	return index;
}

uint32_t whole_add_initial(struct whole *whole, uint32_t object, uint64_t offset, uint32_t value)
{
	uint32_t index = ADD_ROW(whole, initial);
	struct whole_object *row = &whole->object[object];
	whole->initial[index] = (struct whole_initial){ .offset = offset, .value = value };
	if (!row->initial_count)
		row->first_initial = index;
	row->initial_count++;
	return index;
}

uint32_t whole_add_value(struct whole *whole, enum whole_value_kind kind, uint32_t function, uint32_t index)
{
	uint32_t value = ADD_ROW(whole, value);
	whole->value[value] = (struct whole_value){ .kind = (uint8_t)kind, .function = function, .index = index };
	return value;
}

uint32_t whole_add_gap(struct whole *whole, enum whole_gap_kind kind, uint32_t function, uint32_t place,
		       const char *name)
{
	uint32_t index = ADD_ROW(whole, gap);
	whole->gap[index] = (struct whole_gap){
		.kind = (uint8_t)kind, .function = function, .place = place, .name = whole_string(whole, name)
	};
	return index;
}

uint32_t whole_add_place(struct whole *whole, const struct whole_place *place)
{
	uint32_t index = ADD_ROW(whole, place);
	whole->place[index] = *place;
	return index;
}

uint32_t whole_add_layout(struct whole *whole, uint64_t size_bytes)
{
	uint32_t index = ADD_ROW(whole, layout);
	whole->layout[index].size_bytes = size_bytes;
	whole->layout[index].first_array = whole->array_count;
	whole->layout[index].first_vector = whole->vector_count;
	return index;
}

uint32_t whole_add_array(struct whole *whole, const struct whole_array *array)
{
	uint32_t index = ADD_ROW(whole, array);
	whole->array[index] = *array;
	return index;
}

uint32_t whole_add_vector(struct whole *whole, uint64_t offset)
{
	uint32_t index = ADD_ROW(whole, vector);
	whole->vector[index].offset = offset;
	return index;
}

uint32_t whole_add_access(struct whole *whole, const struct whole_access *access)
{
	uint32_t index = ADD_ROW(whole, access);
	whole->access[index] = *access;
	return index;
}

uint32_t whole_add_instruction(struct whole *whole, enum whole_op op)
{
	uint32_t index = ADD_ROW(whole, instruction);
	struct whole_instruction *row = &whole->instruction[index];
	row->op = (uint8_t)op;
	row->function = row->block = row->result = row->object = row->place = WHOLE_NONE;
	row->first_operand = whole->operand_count;
	row->first_access = whole->access_count;
	return index;
}

uint32_t whole_add_operand(struct whole *whole, uint32_t instruction, uint32_t value)
{
	struct whole_instruction *row = &whole->instruction[instruction];
	if (row->first_operand + row->operand_count != whole->operand_count)
		BUG("operands are added to the last instruction only");
	whole->operands = grow(whole->operands, whole->operand_count, &whole->operand_room, sizeof *whole->operands);
	whole->operands[whole->operand_count] = value;
	row->operand_count++;
	return whole->operand_count++;
}

uint32_t whole_add_block(struct whole *whole, uint32_t function)
{
	uint32_t index = ADD_ROW(whole, block);
	struct whole_block *block = &whole->block[index];
	block->function = function;
	block->first_instruction = whole->instruction_count;
	block->first_successor = whole->successor_count;
	block->test.value = WHOLE_NONE;
	return index;
}

uint32_t whole_add_successor(struct whole *whole, uint32_t block, uint32_t successor)
{
	struct whole_block *row = &whole->block[block];
	if (!row->successor_count)
		row->first_successor = whole->successor_count;
	if (row->first_successor + row->successor_count != whole->successor_count)
		BUG("successors are added to one block after the other");
	whole->successors =
		grow(whole->successors, whole->successor_count, &whole->successor_room, sizeof *whole->successors);
	whole->successors[whole->successor_count] = successor;
	row->successor_count++;
	return whole->successor_count++;
}

static uint32_t interned(struct whole *whole, const char *key, enum whole_value_kind kind, uint32_t index,
			 int64_t offset)
{
	uintptr_t known = (uintptr_t)map_get(&whole->addresses, key);
	if (known)
		return (uint32_t)(known - 1);
	uint32_t value = whole_add_value(whole, kind, WHOLE_NONE, index);
	whole->value[value].offset = offset;
	map_set(&whole->addresses, key, (void *)((uintptr_t)value + 1));
	return value;
}

uint32_t whole_address(struct whole *whole, uint32_t object, int64_t offset)
{
	char key[64];
	snprintf(key, sizeof key, "%" PRIu32 "+%" PRId64, object, offset);
	return interned(whole, key, WHOLE_ADDRESS, object, offset);
}

uint32_t whole_number(struct whole *whole, int64_t number)
{
	char key[32];
	snprintf(key, sizeof key, "%" PRId64, number);
	return interned(whole, key, WHOLE_NUMBER, 0, number);
}

/* Types that share a name cannot be relied on. Types without a name are distinguished by their members alone. */
static void note_name(struct whole *whole, uint32_t type)
{
	struct whole_type *row = &whole->type[type];
	if (!*row->name)
		return;
	char *key = mem_format("name %" PRIu32 " %s", row->root, row->name);
	uintptr_t known = (uintptr_t)map_get(&whole->types, key);
	if (known)
		whole->type[known - 1].is_ambiguous = row->is_ambiguous = true;
	else
		map_set(&whole->types, key, (void *)((uintptr_t)type + 1));
	free(key);
}

uint32_t whole_type(struct whole *whole, const char *name, const struct whole_member *members, uint32_t count)
{
	struct buf key = { 0 };
	buf_add_string(&key, "type");
	for (uint32_t i = 0; i < count; i++)
		buf_format(&key, " %" PRIu32 "+%" PRIu64, members[i].type, members[i].offset);
	buf_format(&key, " : %s", name);
	uintptr_t known = (uintptr_t)map_get(&whole->types, key.data);
	if (!known) {
		uint32_t index = ADD_ROW(whole, type);
		struct whole_type *row = &whole->type[index];
		row->name = whole_string(whole, name);
		row->first_member = whole->member_count;
		row->member_count = count;
		row->root = count ? whole->type[members[0].type].root : index;
		for (uint32_t i = 0; i < count; i++) {
			uint32_t member = ADD_ROW(whole, member);
			whole->member[member] = members[i];
		}
		note_name(whole, index);
		known = (uintptr_t)index + 1;
		map_set(&whole->types, key.data, (void *)known);
	}
	buf_release(&key);
	return (uint32_t)(known - 1);
}

uint32_t whole_tag(struct whole *whole, uint32_t base, uint32_t scalar, uint64_t offset)
{
	char key[80];
	snprintf(key, sizeof key, "tag %" PRIu32 " %" PRIu32 " %" PRIu64, base, scalar, offset);
	uintptr_t known = (uintptr_t)map_get(&whole->types, key);
	if (known)
		return (uint32_t)(known - 1);
	uint32_t index = ADD_ROW(whole, tag);
	whole->tag[index] = (struct whole_tag){ .base = base, .scalar = scalar, .offset = offset };
	map_set(&whole->types, key, (void *)((uintptr_t)index + 1));
	return index;
}

bool whole_set_allocator(struct whole *whole, const char *text)
{
	const char *comma = strchr(text, ',');
	size_t length = comma ? (size_t)(comma - text) : strlen(text);
	long number = comma ? strtol(comma + 1, NULL, 10) : 0;
	bool is_found = false;
	for (uint32_t f = 0; f < whole->function_count; f++) {
		struct whole_function *row = &whole->function[f];
		if (!row->is_defined || strlen(row->name) != length || strncmp(row->name, text, length) != 0)
			continue;
		if (comma && (number < 1 || (unsigned long)number > row->parameter_count || number > INT16_MAX))
			continue;
		row->is_allocator = is_found = true;
		row->size_parameter = (int16_t)(number - 1);
	}
	return is_found;
}

uint32_t whole_find_function(const struct whole *whole, const char *name)
{
	uintptr_t known = (uintptr_t)map_get(&whole->functions, name);
	return known ? (uint32_t)(known - 1) : WHOLE_NONE;
}

uint32_t whole_function_named(struct whole *whole, const char *name)
{
	uint32_t function = whole_find_function(whole, name);
	if (function != WHOLE_NONE)
		return function;
	function = whole_add_function(whole, name);
	whole->function[function].is_exported = true;
	map_set(&whole->functions, name, (void *)((uintptr_t)function + 1));
	return function;
}

uint32_t whole_operand(const struct whole *whole, const struct whole_instruction *instruction, uint32_t number)
{
	return number < instruction->operand_count ? whole->operands[instruction->first_operand + number] : WHOLE_NONE;
}

bool whole_can_be_freed(const struct whole *whole, uint32_t object)
{
	return whole->object[object].kind == WHOLE_HEAP || whole->object[object].kind == WHOLE_OUTSIDE;
}

uint32_t whole_direct_callee(const struct whole *whole, const struct whole_instruction *call)
{
	uint32_t callee = whole_operand(whole, call, 0);
	if (callee == WHOLE_NONE || whole->value[callee].kind != WHOLE_ADDRESS || whole->value[callee].offset != 0)
		return WHOLE_NONE;
	const struct whole_object *object = &whole->object[whole->value[callee].index];
	return object->kind == WHOLE_CODE ? object->function : WHOLE_NONE;
}

/* The array of the layout that the offset is in, if any. The last one of an object goes on to the object's end: that is how
 * flexible array members are used, and those with one element. */
static const struct whole_array *array_at(const struct whole *whole, const struct whole_layout *layout, uint64_t offset,
					  bool is_whole_object)
{
	for (uint32_t i = 0; i < layout->array_count; i++) {
		const struct whole_array *array = &whole->array[layout->first_array + i];
		bool goes_on = is_whole_object && i + 1 == layout->array_count && array->end >= layout->size_bytes;
		if (offset >= array->start && (offset < array->end || goes_on))
			return array;
	}
	return NULL;
}

bool whole_fold(const struct whole *whole, const struct whole_object *object, uint64_t offset, uint64_t *folded,
		bool *is_element)
{
	uint64_t start = 0, rest = offset;
	uint32_t layout = object->layout;
	bool is_outermost = true;
	if (is_element)
		*is_element = false;
	*folded = offset;
	/* One byte past the end is a valid address, but not one of the object. */
	if (object->size_bytes && offset >= object->size_bytes)
		return false;
	while (layout != WHOLE_NONE) {
		const struct whole_array *array = array_at(whole, &whole->layout[layout], rest, is_outermost);
		if (!array || !array->element_bytes)
			break;
		start += array->start;
		rest = (rest - array->start) % array->element_bytes;
		layout = array->element;
		is_outermost = false;
		if (is_element)
			*is_element = true;
	}
	*folded = start + rest;
	return true;
}

bool whole_is_vector(const struct whole *whole, const struct whole_object *object, uint64_t offset)
{
	const struct whole_layout *layout = object->layout == WHOLE_NONE ? NULL : &whole->layout[object->layout];
	for (uint32_t i = 0; layout && i < layout->vector_count; i++)
		if (whole->vector[layout->first_vector + i].offset == offset)
			return true;
	return false;
}

bool whole_crosses_element(const struct whole *whole, const struct whole_object *object, uint64_t offset,
			   uint64_t size_bytes)
{
	uint32_t layout = object->layout;
	uint64_t rest = offset;
	bool is_outermost = true;
	while (layout != WHOLE_NONE) {
		const struct whole_array *array = array_at(whole, &whole->layout[layout], rest, is_outermost);
		if (!array || !array->element_bytes)
			return false;
		rest = (rest - array->start) % array->element_bytes;
		if (rest && (!size_bytes || size_bytes > array->element_bytes - rest))
			return true;
		layout = array->element;
		is_outermost = false;
	}
	return false;
}

uint32_t whole_base(const struct whole *whole, uint32_t value, int64_t *offset)
{
	*offset = 0;
	for (unsigned steps = 0; steps < MAX_STEPS; steps++) {
		const struct whole_value *row = &whole->value[value];
		if (row->kind == WHOLE_ADDRESS && row->offset) {
			/* The address of the object's start need not exist as a value: the caller reads the row. */
			*offset += row->offset;
			return value;
		}
		if (row->kind != WHOLE_RESULT)
			return value;
		const struct whole_instruction *at = &whole->instruction[row->index];
		bool is_step = at->op == WHOLE_OFFSET && !at->stride;
		if (!is_step && !(at->op == WHOLE_COPY && at->operand_count == 1))
			return value;
		*offset += is_step ? at->offset : 0;
		value = whole_operand(whole, at, 0);
	}
	return value;
}
