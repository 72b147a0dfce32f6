/*
 * wrapper.c: blocks of the heap. Each call of an allocator or of a wrapper of one (analysis/points/capture.c) makes an
 * object of its own. The calls inside of a wrapper make none, unless it is called by code that is not analysed: they
 * return all the blocks that the wrapper's callers make, so that what the wrapper writes into its blocks gets there.
 */
#include "analysis/points/wrapper.h"

#include <stdlib.h>

#include "analysis/points/solver.h"

static void fail(struct solver *solver, uint32_t function);

void wrapper_table_init(struct wrapper_table *wrappers, struct node_table *nodes, const struct whole *whole)
{
	wrapper_find_all(wrappers, whole);
	for (uint32_t i = 0; i < wrappers->count; i++)
		wrappers->rows[i].fresh = wrappers->rows[i].is_wrapper ? node_new(nodes) : NODE_EMPTY;
}

void wrapper_table_release(struct wrapper_table *wrappers)
{
	for (uint32_t i = 0; i < wrappers->count; i++) {
		set_release(&wrappers->rows[i].calls);
		set_release(&wrappers->rows[i].inner);
	}
	free(wrappers->rows);
	free(wrappers->parts);
}

void wrapper_note_call(const struct wrapper_table *wrappers, struct call_table *calls, uint32_t call, uint32_t function)
{
	const struct wrapper *wrapper = &wrappers->rows[function];
	struct call *row = &calls->rows[call];
	for (uint32_t i = wrapper->is_wrapper ? wrapper->first_part : NONE; i != NONE; i = wrappers->parts[i].next) {
		if (wrappers->parts[i].instruction != row->instruction)
			continue;
		row->wrapper = function;
		row->wrapper_offset = wrappers->parts[i].offset;
		row->wrapper_moved = wrappers->parts[i].moved;
	}
}

uint32_t wrapper_make(struct call_table *calls, struct whole *whole, uint32_t call, uint64_t size_bytes)
{
	if (calls->rows[call].made != NONE)
		return calls->rows[call].made;
	uint32_t instruction = calls->rows[call].instruction;
	/* Several functions that are called by a pointer may make blocks of different sizes here. */
	if (whole_direct_callee(whole, &whole->instruction[instruction]) == NONE)
		size_bytes = 0;
	uint32_t object = whole_add_object(whole, WHOLE_HEAP);
	struct whole_object *row = &whole->object[object];
	row->function = whole->instruction[instruction].function;
	row->instruction = instruction;
	row->place = whole->instruction[instruction].place;
	row->size_bytes = size_bytes;
	calls->rows[call].made = object;
	return object;
}

static uint64_t constant_argument(const struct whole *whole, const struct call *call, uint32_t number, bool *is_known)
{
	int64_t added = 0;
	uint32_t value = whole_operand(whole, &whole->instruction[call->instruction], number + 1);
	const struct whole_value *base = value == NONE ? NULL : &whole->value[whole_base(whole, value, &added)];
	if (!base || base->kind != WHOLE_NUMBER || base->offset + added < 0)
		*is_known = false;
	return *is_known ? (uint64_t)(base->offset + added) : 0;
}

/* 0 and what would not fit are not known. */
static uint64_t sane(uint64_t size_bytes, bool is_known)
{
	return is_known && size_bytes < (uint64_t)1 << 40 ? size_bytes : 0;
}

/* The call's result is `offset` bytes into what it makes: its own block or, in a wrapper, the blocks of the wrapper's
 * callers. */
static void give(struct solver *solver, uint32_t call, int64_t offset)
{
	const struct call row = solver->calls.rows[call];
	if (row.made != NONE) {
		uint32_t cell = cell_at(solver, row.made, offset);
		if (cell != NONE && row.result != NONE)
			node_add_cell(solver, row.result, cell);
	}
	if (row.wrapper == NONE)
		return;
	uint32_t fresh = solver->wrappers.rows[row.wrapper].fresh;
	if (row.result != NONE && offset)
		node_add_constraint(solver, fresh, (struct constraint){ CONSTRAINT_OFFSET, row.result, offset, 0 });
	else if (row.result != NONE)
		node_add_edge(&solver->nodes, fresh, row.result);
}

static void add_offset(struct solver *solver, uint32_t function, int64_t offset)
{
	struct wrapper *wrapper = &solver->wrappers.rows[function];
	for (uint32_t i = 0; i < wrapper->offset_count; i++)
		if (wrapper->offsets[i] == offset)
			return;
	if (wrapper->offset_count == WRAPPER_MAX_OFFSETS) {
		fail(solver, function);
		return;
	}
	wrapper->offsets[wrapper->offset_count++] = offset;
	for (uint32_t i = 0; i < solver->wrappers.rows[function].calls.count; i++) {
		uint32_t call = solver->wrappers.rows[function].calls.items[i];
		give(solver, call, offset);
		if (solver->calls.rows[call].wrapper != NONE)
			add_offset(solver, solver->calls.rows[call].wrapper,
				   offset + solver->calls.rows[call].wrapper_offset);
	}
}

/* Whether the call makes a block of its own; if not now, it may later. */
static bool is_own(struct wrapper_table *wrappers, const struct call_table *calls, uint32_t call)
{
	uint32_t function = calls->rows[call].wrapper;
	if (function == NONE)
		return true;
	struct wrapper *wrapper = &wrappers->rows[function];
	set_add(&wrapper->inner, call);
	return wrapper->is_exposed || wrapper->is_failed;
}

static void move_contents(struct solver *solver, uint32_t call, uint32_t argument)
{
	uint32_t from = call_argument_node(solver, &solver->calls.rows[call], argument);
	uint32_t to = solver->calls.rows[call].result;
	if (from == NODE_EMPTY || to == NONE)
		return;
	/* In a wrapper whose callers move what they passed, only the block that is made here gets it. */
	if (solver->calls.rows[call].wrapper != NONE && solver->calls.rows[call].wrapper_moved >= 0) {
		if (solver->calls.rows[call].made == NONE)
			return;
		to = node_new(&solver->nodes);
		node_add_cell(solver, to, cell_at(solver, solver->calls.rows[call].made, 0));
	}
	uint32_t move = move_new(&solver->moves, 0);
	node_add_constraint(solver, to, (struct constraint){ CONSTRAINT_IN, move, 0, 0 });
	node_add_constraint(solver, from, (struct constraint){ CONSTRAINT_OUT, move, 0, 0 });
}

void wrapper_allocate(struct solver *solver, uint32_t call, uint32_t size_argument, uint32_t count_argument,
		      int moved_argument)
{
	bool is_known = size_argument != NONE;
	uint64_t size_bytes =
		is_known ? constant_argument(solver->whole, &solver->calls.rows[call], size_argument, &is_known) : 0;
	if (is_known && count_argument != NONE)
		size_bytes *= constant_argument(solver->whole, &solver->calls.rows[call], count_argument, &is_known);
	if (is_own(&solver->wrappers, &solver->calls, call))
		wrapper_make(&solver->calls, solver->whole, call, sane(size_bytes, is_known));
	give(solver, call, 0);
	if (solver->calls.rows[call].wrapper != NONE)
		add_offset(solver, solver->calls.rows[call].wrapper, solver->calls.rows[call].wrapper_offset);
	if (moved_argument >= 0)
		move_contents(solver, call, (uint32_t)moved_argument);
}

static uint64_t size_of(const struct whole *whole, const struct call *call, const struct wrapper_size *size)
{
	bool is_known = size->is_known;
	if (!is_known || size->parameter < 0)
		return sane(size->bytes, is_known);
	uint64_t given = constant_argument(whole, call, (uint32_t)size->parameter, &is_known);
	return sane(given * size->bytes + (uint64_t)size->added, is_known);
}

void wrapper_call(struct solver *solver, uint32_t call, uint32_t function)
{
	struct wrapper *wrapper = &solver->wrappers.rows[function];
	set_add(&wrapper->calls, call);
	if (is_own(&solver->wrappers, &solver->calls, call)) {
		uint32_t object = wrapper_make(&solver->calls, solver->whole, call,
					       size_of(solver->whole, &solver->calls.rows[call], &wrapper->size));
		node_add_cell(solver, wrapper->fresh, cell_at(solver, object, 0));
	}
	uint32_t outer = solver->calls.rows[call].wrapper;
	if (outer != NONE)
		node_add_edge(&solver->nodes, solver->wrappers.rows[outer].fresh, wrapper->fresh);
	for (uint32_t i = 0; i < solver->wrappers.rows[function].offset_count; i++) {
		int64_t offset = solver->wrappers.rows[function].offsets[i];
		give(solver, call, offset);
		if (outer != NONE)
			add_offset(solver, outer, offset + solver->calls.rows[call].wrapper_offset);
	}
	for (uint32_t i = 0; i < 32; i++)
		if (solver->wrappers.rows[function].moved >> i & 1)
			move_contents(solver, call, i);
}

/* A realloc moves what it was given. */
static void move_model(struct solver *solver, uint32_t call, uint32_t function)
{
	const struct model *model = model_find(solver->whole->function[function].name);
	for (unsigned i = 0; model && i < MODEL_MAX_STEPS; i++)
		if (model->steps[i].flow == MODEL_MOVE && model->steps[i].to == MODEL_RETURN)
			move_contents(solver, call, (uint32_t)model->steps[i].from);
}

/* The calls in the wrapper make blocks of their own from now on. */
static void make_inner(struct solver *solver, uint32_t function)
{
	for (uint32_t i = 0; i < solver->wrappers.rows[function].inner.count; i++) {
		uint32_t call = solver->wrappers.rows[function].inner.items[i];
		const struct set *callees = &solver->calls.rows[call].callees;
		if (solver->calls.rows[call].made != NONE)
			continue;
		uint32_t object = wrapper_make(&solver->calls, solver->whole, call, 0);
		for (uint32_t j = 0; j < callees->count; j++) {
			const struct wrapper *inner = &solver->wrappers.rows[callees->items[j]];
			if (!inner->is_wrapper) {
				give(solver, call, 0);
				move_model(solver, call, callees->items[j]);
				continue;
			}
			node_add_cell(solver, inner->fresh, cell_at(solver, object, 0));
			for (uint32_t k = 0; k < inner->offset_count; k++)
				give(solver, call, inner->offsets[k]);
			for (uint32_t k = 0; k < 32; k++)
				if (inner->moved >> k & 1)
					move_contents(solver, call, k);
		}
	}
}

void wrapper_expose(struct solver *solver, uint32_t function)
{
	struct wrapper *wrapper = &solver->wrappers.rows[function];
	if (!wrapper->is_wrapper || wrapper->is_exposed)
		return;
	wrapper->is_exposed = true;
	make_inner(solver, function);
}

static void fail(struct solver *solver, uint32_t function)
{
	struct wrapper *wrapper = &solver->wrappers.rows[function];
	if (wrapper->is_failed)
		return;
	wrapper->is_failed = true;
	make_inner(solver, function);
	for (uint32_t i = 0; i < solver->wrappers.rows[function].calls.count; i++) {
		uint32_t call = solver->wrappers.rows[function].calls.items[i];
		if (solver->calls.rows[call].result != NONE)
			node_add_edge(&solver->nodes,
				      function_return_node(&solver->functions, &solver->nodes, function),
				      solver->calls.rows[call].result);
		wrapper_fail(solver, call);
	}
}

void wrapper_fail(struct solver *solver, uint32_t call)
{
	if (solver->calls.rows[call].wrapper != NONE)
		fail(solver, solver->calls.rows[call].wrapper);
}
