/*
 * wrapper.c: blocks of the heap. Each call of an allocator or of a wrapper of one (analysis/points/capture.c) makes an
 * object of its own. The calls inside of a wrapper make none, unless it is called by code that is not analysed: what they give
 * is what those who call the wrapper make, all of it, so that what the wrapper writes into its blocks gets there.
 */
#include <stdlib.h>

#include "analysis/points/points_priv.h"

static void fail(struct points *points, uint32_t function);

uint32_t wrapper_make(struct points *points, uint32_t call, uint64_t size_bytes)
{
	if (points->calls.rows[call].made != NONE)
		return points->calls.rows[call].made;
	uint32_t instruction = points->calls.rows[call].instruction;
	/* Several functions that are called by a pointer may make blocks of different sizes here. */
	if (whole_direct_callee(points->whole, &points->whole->instruction[instruction]) == NONE)
		size_bytes = 0;
	uint32_t object = whole_add_object(points->whole, WHOLE_HEAP);
	struct whole_object *row = &points->whole->object[object];
	row->function = points->whole->instruction[instruction].function;
	row->instruction = instruction;
	row->place = points->whole->instruction[instruction].place;
	row->size_bytes = size_bytes;
	points->calls.rows[call].made = object;
	return object;
}

static uint64_t constant_argument(struct points *points, uint32_t call, uint32_t number, bool *is_known)
{
	int64_t added = 0;
	const struct whole_instruction *at = &points->whole->instruction[points->calls.rows[call].instruction];
	uint32_t value = whole_operand(points->whole, at, number + 1);
	const struct whole_value *base =
		value == NONE ? NULL : &points->whole->value[whole_base(points->whole, value, &added)];
	if (!base || base->kind != WHOLE_NUMBER || base->offset + added < 0)
		*is_known = false;
	return *is_known ? (uint64_t)(base->offset + added) : 0;
}

/* 0 and what would not fit are not known. */
static uint64_t sane(uint64_t size_bytes, bool is_known)
{
	return is_known && size_bytes < (uint64_t)1 << 40 ? size_bytes : 0;
}

/* The call's result is `offset` bytes into what it makes: its own block, or, in a wrapper, the blocks of those who call that. */
static void give(struct points *points, uint32_t call, int64_t offset)
{
	const struct call row = points->calls.rows[call];
	if (row.made != NONE) {
		uint32_t cell = cell_at(points, row.made, offset);
		if (cell != NONE && row.result != NONE)
			node_add_cell(points, row.result, cell);
	}
	if (row.wrapper == NONE)
		return;
	uint32_t fresh = points->wrappers.rows[row.wrapper].fresh;
	if (row.result != NONE && offset)
		node_add_constraint(points, fresh, (struct constraint){ CONSTRAINT_OFFSET, row.result, offset, 0 });
	else if (row.result != NONE)
		node_add_edge(points, fresh, row.result);
}

static void add_offset(struct points *points, uint32_t function, int64_t offset)
{
	struct wrapper *wrapper = &points->wrappers.rows[function];
	for (uint32_t i = 0; i < wrapper->offset_count; i++)
		if (wrapper->offsets[i] == offset)
			return;
	if (wrapper->offset_count == WRAPPER_MOST_OFFSETS) {
		fail(points, function);
		return;
	}
	wrapper->offsets[wrapper->offset_count++] = offset;
	for (uint32_t i = 0; i < points->wrappers.rows[function].calls.count; i++) {
		uint32_t call = points->wrappers.rows[function].calls.items[i];
		give(points, call, offset);
		if (points->calls.rows[call].wrapper != NONE)
			add_offset(points, points->calls.rows[call].wrapper,
				   offset + points->calls.rows[call].wrapper_offset);
	}
}

/* Whether the call makes a block of its own; if not now, it may later. */
static bool is_own(struct points *points, uint32_t call)
{
	uint32_t function = points->calls.rows[call].wrapper;
	if (function == NONE)
		return true;
	struct wrapper *wrapper = &points->wrappers.rows[function];
	set_add(&wrapper->inner, call);
	return wrapper->is_exposed || wrapper->is_failed;
}

static void move_contents(struct points *points, uint32_t call, uint32_t argument)
{
	uint32_t from = call_argument_node(points, &points->calls.rows[call], argument);
	uint32_t to = points->calls.rows[call].result;
	if (from == NODE_EMPTY || to == NONE)
		return;
	/* In a wrapper, where those who call it move what they gave, only the block that is made here gets it. */
	if (points->calls.rows[call].wrapper != NONE && points->calls.rows[call].wrapper_moved >= 0) {
		if (points->calls.rows[call].made == NONE)
			return;
		to = node_new(points);
		node_add_cell(points, to, cell_at(points, points->calls.rows[call].made, 0));
	}
	uint32_t move = move_new(points, 0);
	node_add_constraint(points, to, (struct constraint){ CONSTRAINT_IN, move, 0, 0 });
	node_add_constraint(points, from, (struct constraint){ CONSTRAINT_OUT, move, 0, 0 });
}

void wrapper_allocate(struct points *points, uint32_t call, uint32_t size_argument, uint32_t count_argument,
		      int moved_argument)
{
	bool is_known = size_argument != NONE;
	uint64_t size_bytes = is_known ? constant_argument(points, call, size_argument, &is_known) : 0;
	if (is_known && count_argument != NONE)
		size_bytes *= constant_argument(points, call, count_argument, &is_known);
	if (is_own(points, call))
		wrapper_make(points, call, sane(size_bytes, is_known));
	give(points, call, 0);
	if (points->calls.rows[call].wrapper != NONE)
		add_offset(points, points->calls.rows[call].wrapper, points->calls.rows[call].wrapper_offset);
	if (moved_argument >= 0)
		move_contents(points, call, (uint32_t)moved_argument);
}

static uint64_t size_of(struct points *points, uint32_t call, const struct wrapper_size *size)
{
	bool is_known = size->is_known;
	if (!is_known || size->parameter < 0)
		return sane(size->bytes, is_known);
	uint64_t given = constant_argument(points, call, (uint32_t)size->parameter, &is_known);
	return sane(given * size->bytes + (uint64_t)size->added, is_known);
}

void wrapper_call(struct points *points, uint32_t call, uint32_t function)
{
	struct wrapper *wrapper = &points->wrappers.rows[function];
	set_add(&wrapper->calls, call);
	if (is_own(points, call)) {
		uint32_t object = wrapper_make(points, call, size_of(points, call, &wrapper->size));
		node_add_cell(points, wrapper->fresh, cell_at(points, object, 0));
	}
	uint32_t outer = points->calls.rows[call].wrapper;
	if (outer != NONE)
		node_add_edge(points, points->wrappers.rows[outer].fresh, wrapper->fresh);
	for (uint32_t i = 0; i < points->wrappers.rows[function].offset_count; i++) {
		int64_t offset = points->wrappers.rows[function].offsets[i];
		give(points, call, offset);
		if (outer != NONE)
			add_offset(points, outer, offset + points->calls.rows[call].wrapper_offset);
	}
	for (uint32_t i = 0; i < 32; i++)
		if (points->wrappers.rows[function].moved >> i & 1)
			move_contents(points, call, i);
}

/* A realloc moves what it was given. */
static void move_model(struct points *points, uint32_t call, uint32_t function)
{
	const struct model *model = model_find(points->whole->function[function].name);
	for (unsigned i = 0; model && i < MODEL_MOST_STEPS; i++)
		if (model->steps[i].flow == MODEL_MOVE && model->steps[i].to == MODEL_RETURN)
			move_contents(points, call, (uint32_t)model->steps[i].from);
}

/* The calls in the wrapper make blocks of their own from now on. */
static void make_inner(struct points *points, uint32_t function)
{
	for (uint32_t i = 0; i < points->wrappers.rows[function].inner.count; i++) {
		uint32_t call = points->wrappers.rows[function].inner.items[i];
		const struct set *callees = &points->calls.rows[call].callees;
		if (points->calls.rows[call].made != NONE)
			continue;
		uint32_t object = wrapper_make(points, call, 0);
		for (uint32_t j = 0; j < callees->count; j++) {
			const struct wrapper *inner = &points->wrappers.rows[callees->items[j]];
			if (!inner->is_wrapper) {
				give(points, call, 0);
				move_model(points, call, callees->items[j]);
				continue;
			}
			node_add_cell(points, inner->fresh, cell_at(points, object, 0));
			for (uint32_t k = 0; k < inner->offset_count; k++)
				give(points, call, inner->offsets[k]);
			for (uint32_t k = 0; k < 32; k++)
				if (inner->moved >> k & 1)
					move_contents(points, call, k);
		}
	}
}

void wrapper_expose(struct points *points, uint32_t function)
{
	struct wrapper *wrapper = &points->wrappers.rows[function];
	if (!wrapper->is_wrapper || wrapper->is_exposed)
		return;
	wrapper->is_exposed = true;
	make_inner(points, function);
}

static void fail(struct points *points, uint32_t function)
{
	struct wrapper *wrapper = &points->wrappers.rows[function];
	if (wrapper->is_failed)
		return;
	wrapper->is_failed = true;
	make_inner(points, function);
	for (uint32_t i = 0; i < points->wrappers.rows[function].calls.count; i++) {
		uint32_t call = points->wrappers.rows[function].calls.items[i];
		if (points->calls.rows[call].result != NONE)
			node_add_edge(points, function_return_node(points, function), points->calls.rows[call].result);
		wrapper_fail(points, call);
	}
}

void wrapper_fail(struct points *points, uint32_t call)
{
	if (points->calls.rows[call].wrapper != NONE)
		fail(points, points->calls.rows[call].wrapper);
}
