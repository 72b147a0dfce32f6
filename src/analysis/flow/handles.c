/*
 * handles.c: where the handle of a std::thread may get to. It begins where the library stores it, and is followed from there
 * through loads, stores, copies and calls, over the whole program and regardless of order. Moving a std::thread copies
 * a number, which points-to does not track. A handle is lost when it gets to code that is not analysed, or when a
 * thread is detached.
 * Input: struct flow_program, struct flow_threads and one start. Result: struct flow_handles of that start.
 */
#include <stdlib.h>

#include "analysis/flow/joining.h"
#include "base/mem.h"

enum { HANDLE_BYTES = 8, MAX_PLACES = 256 };

/* Limit on the pointers that are examined for all handles together; handles not found by then are lost. */
enum { MAX_STEPS = 100 * 1000 * 1000 };

struct search {
	const struct flow_program *program;
	const struct flow_threads *threads;
	struct flow_handles *handles;
	bool *returns;     /* of each function: it may return a handle */
	bool *is_of_place; /* of each object: there is a place in it */
	uint64_t *steps;
	bool is_changed;
};

static void add_place(struct search *search, uint32_t object, uint64_t offset)
{
	struct flow_handles *handles = search->handles;
	for (uint32_t i = 0; i < handles->place_count; i++)
		if (handles->places[i].object == object && handles->places[i].offset == offset)
			return;
	if (handles->place_count == MAX_PLACES || flow_is_foreign(search->program, object)) {
		handles->is_lost = true;
		return;
	}
	handles->places =
		flow_grow(handles->places, handles->place_count, &handles->place_room, sizeof *handles->places);
	handles->places[handles->place_count++] = (struct points_location){ object, offset };
	search->is_of_place[object] = true;
	search->is_changed = true;
}

/* Whether some of the bytes behind the pointer are those of a place. */
static bool may_hold(struct search *search, uint32_t pointer, uint64_t size_bytes)
{
	const struct flow_program *program = search->program;
	struct points_set set = points_of_value(program->points, pointer);
	*search->steps += set.count;
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(program->points, set.items[i]);
		if (search->is_of_place[at.object] && flow_handles_meet(search->handles, at, size_bytes))
			return true;
	}
	return false;
}

static void add_value(struct search *search, uint32_t value)
{
	if (value == WHOLE_NONE || search->handles->is_value[value])
		return;
	search->handles->is_value[value] = true;
	search->is_changed = true;
}

static void add_stored(struct search *search, uint32_t pointer, uint64_t size_bytes)
{
	struct points_set set = points_of_value(search->program->points, pointer);
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(search->program->points, set.items[i]);
		for (uint64_t more = 0; more == 0 || more + HANDLE_BYTES <= size_bytes; more += HANDLE_BYTES)
			add_place(search, at.object, at.offset == POINTS_ANYWHERE ? at.offset : at.offset + more);
	}
}

static void follow_move(struct search *search, const struct whole_instruction *row)
{
	const struct flow_program *program = search->program;
	const struct whole *whole = program->whole;
	struct points_set from = points_of_value(program->points, whole_operand(whole, row, 1)),
			  to = points_of_value(program->points, whole_operand(whole, row, 0));
	for (uint32_t i = 0; i < from.count; i++) {
		struct points_location at = points_location(program->points, from.items[i]);
		for (uint32_t p = 0; p < search->handles->place_count; p++) {
			struct points_location place = search->handles->places[p];
			bool is_known =
				at.offset != POINTS_ANYWHERE && place.offset != POINTS_ANYWHERE && row->size_bytes;
			if (place.object != at.object ||
			    (is_known && (place.offset < at.offset || place.offset - at.offset >= row->size_bytes)))
				continue;
			for (uint32_t k = 0; k < to.count; k++) {
				struct points_location into = points_location(program->points, to.items[k]);
				bool is_exact = is_known && into.offset != POINTS_ANYWHERE;
				add_place(search, into.object,
					  is_exact ? into.offset + place.offset - at.offset : POINTS_ANYWHERE);
			}
		}
	}
}

/* Whether a function that is not defined moves what it is given, or keeps it. */
static bool moves_memory(const struct model *model)
{
	for (unsigned i = 0; i < MODEL_MAX_STEPS && model->steps[i].flow != MODEL_END; i++)
		switch ((enum model_flow)model->steps[i].flow) {
		case MODEL_MOVE:
		case MODEL_MIX:
		case MODEL_SCATTER:
		case MODEL_KEEP:
		case MODEL_PUT:
		case MODEL_PUT_INSIDE:
		case MODEL_STORE:
		case MODEL_LOAD:
			return true;
		case MODEL_END:
		case MODEL_COPY:
		case MODEL_COPY_INSIDE:
		case MODEL_STORE_INSIDE:
		case MODEL_ADVANCE:
		case MODEL_ALLOCATE:
		case MODEL_ALLOCATE_INTO:
		case MODEL_ALLOCATE_LINKED:
		case MODEL_STATIC:
		case MODEL_STATIC_THREAD:
		case MODEL_CALL:
		case MODEL_CALL_INSIDE:
		case MODEL_CALL_CONTENTS:
		case MODEL_LATER:
		case MODEL_RUN:
		case MODEL_OUTSIDE:
		case MODEL_GET:
		case MODEL_GET_INSIDE:
		case MODEL_LINK:
			break;
		}
	return false;
}

static void follow_outside(struct search *search, uint32_t instruction, const struct model *model)
{
	const struct whole *whole = search->program->whole;
	const struct whole_instruction *row = &whole->instruction[instruction];
	bool is_move = !model || moves_memory(model);
	/* A thread that lets itself go, too. */
	if (model && model->sync == MODEL_DETACH && !model->is_object_in_memory)
		search->handles->is_lost = true;
	if (!is_move && (!model || model->sync != MODEL_DETACH))
		return;
	for (uint32_t o = 1; o < row->operand_count && !search->handles->is_lost; o++) {
		uint32_t value = whole_operand(whole, row, o);
		search->handles->is_lost = (is_move && search->handles->is_value[value]) || may_hold(search, value, 0);
	}
}

static void follow_call(struct search *search, uint32_t instruction)
{
	const struct flow_program *program = search->program;
	const struct whole *whole = program->whole;
	const struct whole_instruction *row = &whole->instruction[instruction];
	struct points_set callees = points_callees(program->points, instruction);
	for (uint32_t i = 0; i < callees.count; i++) {
		const struct whole_function *callee = &whole->function[callees.items[i]];
		if (!callee->is_defined) {
			follow_outside(search, instruction, program->models[callees.items[i]]);
			continue;
		}
		for (uint32_t p = 0; p < callee->parameter_count && p + 1 < row->operand_count; p++)
			if (search->handles->is_value[whole_operand(whole, row, p + 1)])
				add_value(search, callee->first_parameter + p);
		for (uint32_t o = callee->parameter_count + 1; o < row->operand_count; o++)
			search->handles->is_lost |= search->handles->is_value[whole_operand(whole, row, o)];
		if (search->returns[callees.items[i]])
			add_value(search, row->result);
	}
}

static void follow(struct search *search, uint32_t instruction)
{
	const struct whole *whole = search->program->whole;
	const struct whole_instruction *row = &whole->instruction[instruction];
	const bool *is_value = search->handles->is_value;
	bool is_wide = !row->size_bytes || row->size_bytes >= HANDLE_BYTES;
	switch ((enum whole_op)row->op) {
	case WHOLE_UPDATE:
	case WHOLE_STORE:
		if (is_wide && is_value[whole_operand(whole, row, 1)] &&
		    !flow_is_zero(search->program, whole_operand(whole, row, 1), row->block))
			add_stored(search, whole_operand(whole, row, 0), row->size_bytes);
		if (row->op == WHOLE_STORE)
			break;
		/* fall through */
	case WHOLE_LOAD:
		if (is_wide && row->result != WHOLE_NONE && !is_value[row->result] &&
		    may_hold(search, whole_operand(whole, row, 0), row->size_bytes))
			add_value(search, row->result);
		break;
	case WHOLE_COPY:
	case WHOLE_OFFSET:
		for (uint32_t o = 0; o < row->operand_count; o++)
			if (is_value[whole_operand(whole, row, o)])
				add_value(search, row->result);
		break;
	case WHOLE_MOVE:
		if (is_wide && may_hold(search, whole_operand(whole, row, 1), row->size_bytes))
			follow_move(search, row);
		break;
	case WHOLE_RETURN:
		if (row->operand_count && is_value[whole_operand(whole, row, 0)] && !search->returns[row->function])
			search->returns[row->function] = search->is_changed = true;
		break;
	case WHOLE_CALL:
		follow_call(search, instruction);
		break;
	case WHOLE_ASSEMBLY:
		for (uint32_t o = 0; o < row->operand_count; o++)
			search->handles->is_lost |= is_value[whole_operand(whole, row, o)] ||
						    may_hold(search, whole_operand(whole, row, o), 0);
		break;
	case WHOLE_SLOT:
	case WHOLE_FILL:
	case WHOLE_FORGE:
	case WHOLE_OTHER:
		break;
	}
}

bool flow_handles_meet(const struct flow_handles *handles, struct points_location at, uint64_t size_bytes)
{
	for (uint32_t p = 0; p < handles->place_count; p++) {
		struct points_location place = handles->places[p];
		if (place.object != at.object)
			continue;
		if (place.offset == POINTS_ANYWHERE || at.offset == POINTS_ANYWHERE || !size_bytes ||
		    (at.offset < place.offset + HANDLE_BYTES && place.offset < at.offset + size_bytes))
			return true;
	}
	return false;
}

bool flow_is_foreign(const struct flow_program *program, uint32_t object)
{
	uint8_t kind = program->whole->object[object].kind;
	return program->is_outside[object] || kind == WHOLE_OUTSIDE || kind == WHOLE_CODE;
}

/* ---- handles that are in no memory ---- */

static bool is_call_between(const struct whole *whole, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i < last; i++)
		if (whole->instruction[i].op == WHOLE_CALL)
			return true;
	return false;
}

/* Whether a handle that is used at an instruction (or, after the last one, by the end of its block) was there when
 * others ran, or in another block. */
static bool is_kept(const struct search *search, uint32_t value, uint32_t user, uint32_t block)
{
	const struct whole *whole = search->program->whole;
	if (value == WHOLE_NONE || !search->handles->is_value[value])
		return false;
	if (whole->value[value].kind != WHOLE_RESULT)
		return true;
	uint32_t made = whole->value[value].index;
	if (whole->instruction[made].block == block && user > made && !is_call_between(whole, made + 1, user))
		return false;
	return !flow_is_zero(search->program, value, block);
}

static void find_keeps(const struct search *search, uint32_t block)
{
	const struct whole *whole = search->program->whole;
	const struct whole_block *row = &whole->block[block];
	uint32_t end = row->first_instruction + row->instruction_count;
	bool *keeps = &search->handles->keeps[row->function];
	for (uint32_t i = row->first_instruction; i < end; i++)
		for (uint32_t o = 0; o < whole->instruction[i].operand_count; o++)
			*keeps |= is_kept(search, whole_operand(whole, &whole->instruction[i], o), i, block);
	*keeps |= is_kept(search, row->test.value, end, block);
	if (row->compare.relation)
		*keeps |= is_kept(search, row->compare.left, end, block) ||
			  is_kept(search, row->compare.right, end, block);
}

bool flow_handles_moves(const struct flow_program *program, const struct flow_handles *handles, uint32_t instruction)
{
	const struct whole *whole = program->whole;
	const struct whole_instruction *row = &whole->instruction[instruction];
	if (row->op == WHOLE_STORE || row->op == WHOLE_UPDATE)
		return handles->is_value[whole_operand(whole, row, 1)] &&
		       !flow_is_zero(program, whole_operand(whole, row, 1), row->block);
	struct points_set set = row->op == WHOLE_MOVE ? points_of_value(program->points, whole_operand(whole, row, 1))
						      : (struct points_set){ 0 };
	for (uint32_t i = 0; i < set.count; i++)
		if (flow_handles_meet(handles, points_location(program->points, set.items[i]), row->size_bytes))
			return true;
	return false;
}

bool flow_handles_puts(const struct flow_program *program, const struct flow_threads *threads,
		       const struct flow_handles *handles, uint32_t create, uint32_t call)
{
	const struct flow_call *row = &program->calls[call];
	const bool *puts = handles->puts;
	for (uint32_t t = 0; t < row->target_count; t++)
		if (puts[program->targets.items[row->first_target + t]])
			return true;
	struct flow_range starts = threads->creates_of[call];
	for (uint32_t c = starts.first; c < starts.first + starts.count; c++)
		for (uint32_t r = 0; r < threads->creates[c].roots.count; r++)
			if (c == create || puts[threads->roots[threads->creates[c].roots.items[r]].function])
				return true;
	return false;
}

static void find_movers(struct search *search, uint32_t create)
{
	const struct flow_program *program = search->program;
	const struct flow_threads *threads = search->threads;
	const struct whole *whole = program->whole;
	struct flow_handles *handles = search->handles;
	for (uint32_t i = 0; i < whole->instruction_count; i++) {
		uint32_t function = whole->instruction[i].function;
		if (function == WHOLE_NONE || !threads->is_reached[function])
			continue;
		if (!handles->moves[function] && flow_handles_moves(program, handles, i))
			handles->moves[function] = handles->puts[function] = true;
	}
	for (uint32_t f = 0; f < whole->function_count; f++)
		for (uint32_t b = 0; threads->is_reached[f] && b < whole->function[f].block_count; b++)
			find_keeps(search, whole->function[f].first_block + b);
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t c = 0; c < program->call_count; c++) {
			uint32_t function = whole->instruction[program->calls[c].instruction].function;
			if (handles->puts[function] || !threads->is_reached[function] ||
			    !flow_handles_puts(program, threads, handles, create, c))
				continue;
			handles->puts[function] = is_changed = true;
		}
	}
}

void flow_handles_find(const struct flow_program *program, const struct flow_threads *threads, uint32_t create,
		       uint64_t *steps, struct flow_handles *handles)
{
	const struct whole *whole = program->whole;
	*handles = (struct flow_handles){ .is_value = mem_alloc((size_t)whole->value_count + 1) };
	handles->moves = mem_alloc((size_t)whole->function_count + 1);
	handles->keeps = mem_alloc((size_t)whole->function_count + 1);
	handles->puts = mem_alloc((size_t)whole->function_count + 1);
	struct search search = { .program = program, .threads = threads, .handles = handles, .steps = steps };
	search.returns = mem_alloc((size_t)whole->function_count + 1);
	search.is_of_place = mem_alloc((size_t)whole->object_count + 1);
	struct points_set first = points_of_value(program->points, threads->creates[create].handle);
	for (uint32_t i = 0; i < first.count; i++) {
		struct points_location at = points_location(program->points, first.items[i]);
		uint64_t offset = at.offset + (uint64_t)threads->creates[create].handle_offset;
		add_place(&search, at.object, at.offset == POINTS_ANYWHERE ? at.offset : offset);
	}
	for (search.is_changed = true; search.is_changed && !handles->is_lost;) {
		search.is_changed = false;
		for (uint32_t i = 0; i < whole->instruction_count && !handles->is_lost; i++) {
			uint32_t function = whole->instruction[i].function;
			if (function != WHOLE_NONE && threads->is_reached[function])
				follow(&search, i);
		}
		handles->is_lost |= *steps > MAX_STEPS;
	}
	handles->is_lost |= !handles->place_count;
	if (!handles->is_lost)
		find_movers(&search, create);
	free(search.returns);
	free(search.is_of_place);
}

void flow_handles_release(struct flow_handles *handles)
{
	free(handles->places);
	free(handles->is_value);
	free(handles->moves);
	free(handles->keeps);
	free(handles->puts);
}
