/*
 * capture.c: which functions are allocators. A *wrapper* is a function that returns nothing but fresh blocks (or null, or
 * numbers): each value that it may return is the result of a call of an allocator, of another wrapper, or of a call by pointer
 * (if that turns out to call something else, the solver takes it back: wrapper_fail), perhaps a constant number of
 * bytes further; and the block's address is not kept anywhere before it is returned.
 *
 * For the latter it is found which parameters functions keep: those that are stored, returned, or passed to something
 * that keeps them or is not known.
 */
#include "analysis/points/wrapper.h"

#include <stdlib.h>

#include "analysis/models/models.h"
#include "base/mem.h"

enum { MAX_PARAMETERS = 32, MAX_ROUNDS = 12, MAX_ROOTS = 64 };

struct capture {
	const struct whole *whole;
	struct wrapper_table *wrappers; /* what is found */
	uint32_t *captured;             /* by function: parameters that it keeps, as bits */
};

static bool model_keeps(const struct model *model, uint32_t argument, bool *is_returned)
{
	for (unsigned i = 0; i < MODEL_MAX_STEPS && model->steps[i].flow != MODEL_END; i++) {
		const struct model_step *step = &model->steps[i];
		bool is_from = step->from == (int)argument, is_returning = step->to == MODEL_RETURN;
		if (step->flow == MODEL_LINK && (is_from || step->to == (int)argument || step->size2 == (int)argument))
			return true;
		if (is_from && is_returning && (step->flow == MODEL_COPY || step->flow == MODEL_COPY_INSIDE))
			*is_returned = true;
		else if (is_from &&
			 (step->flow == MODEL_STORE || step->flow == MODEL_KEEP || step->flow == MODEL_PUT ||
			  step->flow == MODEL_CALL || step->flow == MODEL_CALL_INSIDE ||
			  step->flow == MODEL_CALL_CONTENTS || step->flow == MODEL_LATER || step->flow == MODEL_COPY ||
			  step->flow == MODEL_SCATTER || step->flow == MODEL_STORE_INSIDE))
			return true;
	}
	return model->sync == MODEL_CREATE || model->sync == MODEL_PARALLEL || model->sync == MODEL_EXIT_THREAD ||
	       model->sync == MODEL_AT_EXIT || model->sync == MODEL_HANDLER;
}

/* Whether a call keeps the argument; *is_returned: it is what it returns. */
static bool call_keeps(const struct capture *capture, const struct whole_instruction *at, uint32_t argument,
		       bool *is_returned)
{
	const struct whole *whole = capture->whole;
	uint32_t callee = whole_direct_callee(whole, at);
	if (callee == NONE)
		return true;
	const struct whole_function *function = &whole->function[callee];
	if (!function->is_defined) {
		const struct model *model = model_find(function->name);
		return !model || model_keeps(model, argument, is_returned);
	}
	return argument >= function->parameter_count || argument >= MAX_PARAMETERS ||
	       capture->captured[callee] >> argument & 1;
}

/* One instruction that has a value of the derived ones among its operands. Returns whether that is kept; *is_derived: the
 * result is derived, too. */
static bool keeps(const struct capture *capture, const struct whole_instruction *at, const struct set *derived,
		  bool *is_derived)
{
	const struct whole *whole = capture->whole;
	*is_derived = false;
	for (uint32_t i = 0; i < at->operand_count; i++) {
		if (!set_has(derived, whole_operand(whole, at, i)))
			continue;
		switch ((enum whole_op)at->op) {
		case WHOLE_COPY:
		case WHOLE_OFFSET:
			*is_derived = true;
			break;
		case WHOLE_LOAD:
		case WHOLE_MOVE:
		case WHOLE_FILL:
		case WHOLE_OTHER:
		case WHOLE_RETURN:
			break;
		case WHOLE_STORE:
		case WHOLE_UPDATE:
			if (i)
				return true;
			break;
		case WHOLE_CALL:
			if (!i || call_keeps(capture, at, i - 1, is_derived))
				return true;
			break;
		case WHOLE_SLOT:
		case WHOLE_ASSEMBLY:
		case WHOLE_FORGE:
			return true;
		}
	}
	return false;
}

/* Whether the function keeps a value of its own elsewhere than in what it returns; *is_returned. */
static bool is_kept(const struct capture *capture, uint32_t function, uint32_t value, bool *is_returned)
{
	const struct whole *whole = capture->whole;
	const struct whole_function *row = &whole->function[function];
	struct set derived = { 0 };
	bool is_kept = false, is_changed = true;
	*is_returned = false;
	set_add(&derived, value);
	while (is_changed && !is_kept) {
		is_changed = false;
		for (uint32_t i = 0; i < row->instruction_count && !is_kept; i++) {
			const struct whole_instruction *at = &whole->instruction[row->first_instruction + i];
			bool is_derived;
			is_kept = keeps(capture, at, &derived, &is_derived);
			if (is_derived && at->result != NONE)
				is_changed |= set_add(&derived, at->result);
			if (at->op == WHOLE_RETURN && at->operand_count &&
			    set_has(&derived, whole_operand(whole, at, 0)))
				*is_returned = true;
		}
	}
	set_release(&derived);
	return is_kept;
}

/* A parameter that is returned counts as kept. */
static void find_captured(struct capture *capture)
{
	const struct whole *whole = capture->whole;
	bool is_changed = true;
	for (unsigned round = 0; is_changed; round++) {
		is_changed = false;
		for (uint32_t f = 0; f < whole->function_count; f++) {
			const struct whole_function *row = &whole->function[f];
			for (uint32_t i = 0; row->is_defined && i < row->parameter_count && i < MAX_PARAMETERS; i++) {
				bool is_returned;
				if (capture->captured[f] >> i & 1)
					continue;
				/* What takes too long to settle is kept. */
				if (round < MAX_ROUNDS &&
				    !is_kept(capture, f, row->first_parameter + i, &is_returned) && !is_returned)
					continue;
				capture->captured[f] |= 1u << i;
				is_changed = true;
			}
		}
	}
}

/* ---- what is returned ---- */

/* A value that may be returned, and how far after it. */
struct root {
	uint32_t value;
	int64_t offset;
};

struct roots {
	struct root items[MAX_ROOTS];
	uint32_t count;
	bool is_clear;
};

static void add_root(struct roots *roots, uint32_t value, int64_t offset)
{
	for (uint32_t i = 0; i < roots->count; i++)
		if (roots->items[i].value == value) {
			roots->is_clear &= roots->items[i].offset == offset;
			return;
		}
	if (roots->count == MAX_ROOTS)
		roots->is_clear = false;
	else
		roots->items[roots->count++] = (struct root){ value, offset };
}

/* The calls whose results the function returns, as parts; false when it returns something else, too. */
static bool find_parts(const struct whole *whole, uint32_t function, struct roots *roots)
{
	const struct whole_function *row = &whole->function[function];
	roots->count = 0;
	roots->is_clear = true;
	for (uint32_t i = 0; i < row->instruction_count; i++) {
		const struct whole_instruction *at = &whole->instruction[row->first_instruction + i];
		if (at->op == WHOLE_RETURN && at->operand_count)
			add_root(roots, whole_operand(whole, at, 0), 0);
	}
	bool has_call = false;
	for (uint32_t i = 0; i < roots->count && roots->is_clear; i++) {
		struct root root = roots->items[i];
		const struct whole_value *value = &whole->value[root.value];
		if (value->kind == WHOLE_NUMBER || value->kind == WHOLE_OPAQUE)
			continue;
		if (value->kind != WHOLE_RESULT)
			return false;
		const struct whole_instruction *at = &whole->instruction[value->index];
		if (at->op == WHOLE_COPY)
			for (uint32_t j = 0; j < at->operand_count; j++)
				add_root(roots, whole_operand(whole, at, j), root.offset);
		else if (at->op == WHOLE_OFFSET && !at->stride && !at->is_number)
			add_root(roots, whole_operand(whole, at, 0), root.offset + at->offset);
		else if (at->op == WHOLE_CALL)
			has_call = true;
		else
			return false;
	}
	return roots->is_clear && has_call;
}

static const struct model *allocator_model(const struct whole *whole, uint32_t function)
{
	const struct model *model =
		whole->function[function].is_defined ? NULL : model_find(whole->function[function].name);
	return model && model->is_allocator ? model : NULL;
}

/* Whether the root is a call of an allocator, as far as is known now. */
static bool is_allocation(const struct whole *whole, const struct wrapper_table *wrappers,
			  const struct whole_instruction *at)
{
	uint32_t callee = whole_direct_callee(whole, at);
	return callee == NONE || wrappers->rows[callee].is_wrapper || allocator_model(whole, callee);
}

/* ---- sizes, and what is moved ---- */

static struct wrapper_size constant_or_parameter(const struct whole *whole, uint32_t value)
{
	struct wrapper_size size = { .parameter = -1 };
	int64_t added;
	if (value == NONE)
		return size;
	const struct whole_value *base = &whole->value[whole_base(whole, value, &added)];
	if (base->kind == WHOLE_NUMBER && base->offset + added >= 0) {
		size.is_known = true;
		size.bytes = (uint64_t)(base->offset + added);
	} else if (base->kind == WHOLE_PARAMETER && base->index < MAX_PARAMETERS) {
		size.is_known = true;
		size.parameter = (int16_t)base->index;
		size.bytes = 1;
		size.added = added;
	}
	return size;
}

static struct wrapper_size product(struct wrapper_size a, struct wrapper_size b)
{
	if (!a.is_known || !b.is_known || (a.parameter >= 0 && b.parameter >= 0))
		return (struct wrapper_size){ .parameter = -1 };
	struct wrapper_size *variable = a.parameter >= 0 ? &a : &b;
	const struct wrapper_size *constant = a.parameter >= 0 ? &b : &a;
	variable->bytes *= constant->bytes;
	variable->added *= (int64_t)constant->bytes;
	return *variable;
}

static const struct model_step *step_of(const struct model *model, enum model_flow flow)
{
	for (unsigned i = 0; i < MODEL_MAX_STEPS && model->steps[i].flow != MODEL_END; i++)
		if (model->steps[i].flow == flow && model->steps[i].to == MODEL_RETURN)
			return &model->steps[i];
	return NULL;
}

static uint32_t argument(const struct whole *whole, const struct whole_instruction *at, int number)
{
	return number < 0 ? NONE : whole_operand(whole, at, (uint32_t)number + 1);
}

/* How many bytes an allocating call makes, in terms of its caller's parameters. */
static struct wrapper_size size_of(const struct whole *whole, const struct wrapper_table *wrappers,
				   const struct whole_instruction *at)
{
	const struct wrapper_size unknown = { .parameter = -1 };
	uint32_t callee = whole_direct_callee(whole, at);
	if (callee == NONE)
		return unknown;
	const struct model *model = allocator_model(whole, callee);
	const struct model_step *step = model ? step_of(model, MODEL_ALLOCATE) : NULL;
	if (step && step->from >= 0) {
		struct wrapper_size size = constant_or_parameter(whole, argument(whole, at, step->from));
		if (step->size2 < 0)
			return size;
		return product(size, constant_or_parameter(whole, argument(whole, at, step->size2)));
	}
	const struct wrapper_size *inner = &wrappers->rows[callee].size;
	if (model || !inner->is_known || inner->parameter < 0)
		return model ? unknown : *inner;
	struct wrapper_size size = constant_or_parameter(whole, argument(whole, at, inner->parameter));
	size.bytes *= inner->bytes;
	size.added = size.added * (int64_t)inner->bytes + inner->added;
	if (size.is_known && size.parameter < 0) {
		size.bytes += (uint64_t)size.added;
		size.added = 0;
	}
	return size;
}

/* The parameter whose block the call moves to the new one, or -1. */
static int16_t moved_by(const struct whole *whole, const struct wrapper_table *wrappers,
			const struct whole_instruction *at)
{
	uint32_t callee = whole_direct_callee(whole, at);
	if (callee == NONE)
		return -1;
	const struct model *model = allocator_model(whole, callee);
	const struct model_step *step = model ? step_of(model, MODEL_MOVE) : NULL;
	int number = step ? step->from : -1;
	for (int i = 0; !model && i < MAX_PARAMETERS; i++)
		if (wrappers->rows[callee].moved >> i & 1)
			number = i;
	if (number < 0)
		return -1;
	int64_t added;
	uint32_t value = argument(whole, at, number);
	const struct whole_value *base = value == NONE ? NULL : &whole->value[whole_base(whole, value, &added)];
	return base && base->kind == WHOLE_PARAMETER && base->index < MAX_PARAMETERS ? (int16_t)base->index : -1;
}

static void add_parts(const struct whole *whole, struct wrapper_table *wrappers, uint32_t function,
		      const struct roots *roots)
{
	struct wrapper *wrapper = &wrappers->rows[function];
	bool is_first = true;
	wrapper->is_wrapper = true;
	wrapper->first_part = NONE;
	for (uint32_t i = 0; i < roots->count; i++) {
		const struct whole_value *value = &whole->value[roots->items[i].value];
		if (value->kind != WHOLE_RESULT || whole->instruction[value->index].op != WHOLE_CALL)
			continue;
		const struct whole_instruction *at = &whole->instruction[value->index];
		struct wrapper_size size = size_of(whole, wrappers, at);
		bool is_same = size.is_known == wrapper->size.is_known && size.parameter == wrapper->size.parameter &&
			       size.bytes == wrapper->size.bytes && size.added == wrapper->size.added;
		if (is_first)
			wrapper->size = size;
		else if (!is_same)
			wrapper->size = (struct wrapper_size){ .parameter = -1 };
		is_first = false;
		int16_t moved = moved_by(whole, wrappers, at);
		if (moved >= 0)
			wrapper->moved |= 1u << moved;
		wrappers->parts = table_grow(wrappers->parts, wrappers->part_count, &wrappers->part_room,
					     sizeof *wrappers->parts);
		wrappers->parts[wrappers->part_count] = (struct wrapper_part){ .instruction = value->index,
									       .offset = roots->items[i].offset,
									       .moved = moved,
									       .next = wrapper->first_part };
		wrapper->first_part = wrappers->part_count++;
	}
}

static bool is_wrapper(const struct capture *capture, uint32_t function, const struct roots *roots)
{
	const struct whole *whole = capture->whole;
	for (uint32_t i = 0; i < roots->count; i++) {
		const struct whole_value *value = &whole->value[roots->items[i].value];
		bool is_returned;
		if (value->kind != WHOLE_RESULT || whole->instruction[value->index].op != WHOLE_CALL)
			continue;
		if (!is_allocation(whole, capture->wrappers, &whole->instruction[value->index]) ||
		    is_kept(capture, function, roots->items[i].value, &is_returned))
			return false;
	}
	return true;
}

/* Functions that the program calls allocators: that they are need not be seen from their code. */
static void take_promises(const struct whole *whole, struct wrapper_table *wrappers)
{
	for (uint32_t f = 0; f < whole->function_count; f++) {
		const struct whole_function *row = &whole->function[f];
		struct wrapper *wrapper = &wrappers->rows[f];
		if (!row->is_defined || !row->is_allocator)
			continue;
		wrapper->is_wrapper = true;
		wrapper->first_part = NONE;
		wrapper->offset_count = 1;
		wrapper->size = (struct wrapper_size){ .is_known = row->size_parameter >= 0,
						       .parameter = row->size_parameter,
						       .bytes = 1 };
	}
}

void wrapper_find_all(struct wrapper_table *wrappers, const struct whole *whole)
{
	struct capture capture = { .whole = whole, .wrappers = wrappers };
	wrappers->count = whole->function_count;
	wrappers->rows = mem_alloc((wrappers->count + 1) * sizeof *wrappers->rows);
	take_promises(whole, wrappers);
	capture.captured = mem_alloc((whole->function_count + 1) * sizeof *capture.captured);
	find_captured(&capture);
	bool is_changed = true;
	for (unsigned round = 0; is_changed && round < MAX_ROUNDS; round++) {
		is_changed = false;
		for (uint32_t f = 0; f < whole->function_count; f++) {
			struct roots roots;
			if (!whole->function[f].is_defined || wrappers->rows[f].is_wrapper ||
			    !find_parts(whole, f, &roots) || !is_wrapper(&capture, f, &roots))
				continue;
			add_parts(whole, wrappers, f, &roots);
			is_changed = true;
		}
	}
	free(capture.captured);
}
