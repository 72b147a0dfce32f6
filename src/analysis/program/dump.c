/* dump.c: see dump.h. */
#include "analysis/program/dump.h"

#include <inttypes.h>

static const char *const op_names[] = { "copy", "offset", "slot",   "load",     "store", "update", "move",
					"fill", "call",   "return", "assembly", "forge", "other" };

static const char *const object_kinds[] = { "global", "thread-local", "stack", "heap", "code", "outside" };

static void dump_value(const struct whole *whole, uint32_t value, FILE *to)
{
	if (value == WHOLE_NONE) {
		fputs(" -", to);
		return;
	}
	const struct whole_value *row = &whole->value[value];
	switch ((enum whole_value_kind)row->kind) {
	case WHOLE_PARAMETER:
		fprintf(to, " %%%" PRIu32 "(argument %" PRIu32 ")", value, row->index);
		break;
	case WHOLE_ADDRESS: {
		const char *name = whole->object[row->index].name;
		fprintf(to, " &%s", name ? name : "?");
		if (row->offset)
			fprintf(to, "%+" PRId64, row->offset);
		break;
	}
	case WHOLE_NUMBER:
		fprintf(to, " %" PRId64, row->offset);
		break;
	case WHOLE_OPAQUE:
		fputs(" ?", to);
		break;
	case WHOLE_RESULT:
		fprintf(to, " %%%" PRIu32, value);
	}
}

static void dump_place(const struct whole *whole, uint32_t place, FILE *to)
{
	if (place == WHOLE_NONE)
		return;
	const struct whole_place *row = &whole->place[place];
	fprintf(to, "  ; %s:%" PRIu32 ":%" PRIu32, row->file ? row->file : "?", row->line, row->column);
}

static void dump_instruction(const struct whole *whole, const struct whole_instruction *at, FILE *to)
{
	fputs("\t", to);
	if (at->result != WHOLE_NONE)
		fprintf(to, "%%%" PRIu32 " = ", at->result);
	fputs(op_names[at->op], to);
	if (at->op == WHOLE_SLOT)
		fprintf(to, " object %" PRIu32, at->object);
	for (uint32_t i = 0; i < at->operand_count; i++)
		dump_value(whole, whole_operand(whole, at, i), to);
	if (at->offset)
		fprintf(to, " by %" PRId64, at->offset);
	if (at->stride)
		fprintf(to, " by any * %" PRIu64, at->stride);
	if (at->size_bytes)
		fprintf(to, " of %" PRIu64, at->size_bytes);
	dump_place(whole, at->place, to);
	fputc('\n', to);
	for (uint32_t i = 0; i < at->access_count; i++) {
		const struct whole_access *access = &whole->access[at->first_access + i];
		fprintf(to, "\t\tsite %" PRIu32 " kind %u size %" PRIu64 " %s\n", access->ordinal, access->kind,
			access->size_bytes, access->variable ? access->variable : "");
	}
}

static void dump_function(const struct whole *whole, uint32_t index, FILE *to)
{
	const struct whole_function *function = &whole->function[index];
	fprintf(to, "function %s\n", function->name);
	for (uint32_t b = 0; b < function->block_count; b++) {
		const struct whole_block *block = &whole->block[function->first_block + b];
		fprintf(to, "    block %" PRIu32 "\n", function->first_block + b);
		for (uint32_t i = 0; i < block->instruction_count; i++)
			dump_instruction(whole, &whole->instruction[block->first_instruction + i], to);
		fputs("\tnext", to);
		for (uint32_t i = 0; i < block->successor_count; i++)
			fprintf(to, " %" PRIu32, whole->successors[block->first_successor + i]);
		if (block->test.value != WHOLE_NONE) {
			fputs(" test", to);
			dump_value(whole, block->test.value, to);
			fprintf(to, " == %" PRId64 ": number %u", block->test.constant, block->test.if_equal);
		}
		fputc('\n', to);
	}
}

void dump_whole(const struct whole *whole, FILE *to)
{
	for (uint32_t i = 0; i < whole->object_count; i++) {
		const struct whole_object *object = &whole->object[i];
		if (object->kind == WHOLE_CODE)
			continue;
		fprintf(to, "object %" PRIu32 " %s %s size %" PRIu64 "%s%s\n", i, object_kinds[object->kind],
			object->name ? object->name : "", object->size_bytes, object->is_constant ? " constant" : "",
			object->is_undefined ? " undefined" : "");
		for (uint32_t k = 0; k < object->initial_count; k++) {
			const struct whole_initial *initial = &whole->initial[object->first_initial + k];
			fprintf(to, "\tat %" PRIu64, initial->offset);
			dump_value(whole, initial->value, to);
			fputc('\n', to);
		}
	}
	for (uint32_t i = 0; i < whole->function_count; i++)
		if (whole->function[i].is_defined)
			dump_function(whole, i, to);
	fprintf(to,
		"%" PRIu32 " units, %" PRIu32 " functions, %" PRIu32 " blocks, %" PRIu32 " instructions, %" PRIu32
		" accesses, %" PRIu32 " values, %" PRIu32 " objects, %" PRIu32 " gaps\n",
		whole->unit_count, whole->function_count, whole->block_count, whole->instruction_count,
		whole->access_count, whole->value_count, whole->object_count, whole->gap_count);
}
