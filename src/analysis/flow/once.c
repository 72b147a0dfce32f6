/*
 * once.c: what is done once for all threads: routines of pthread_once and similar functions, and initialisation of static variables in
 * functions. Code that comes after it, in whichever thread, comes after all that was done there. In terms of locks, the
 * control is locked for writing while it is done, and for reading ever after by code that knows it is done. That holds
 * for a control that is a variable and whose state only the functions for it change: if other code reset the control,
 * it would be done again.
 * Input: struct flow_program. Result: struct flow_controls. Operations on struct flow_lock_sets record that something
 * is known to be done.
 */
#include <stdlib.h>

#include "analysis/flow/locks.h"
#include "analysis/flow/once.h"
#include "analysis/flow/program.h"
#include "base/mem.h"
#include "heddle/abi.h"

enum { CONTROL_BYTES = 4, GUARD_BYTES = 8 };

static bool is_control_call(const struct flow_call *call)
{
	return call->model && (call->model->sync == MODEL_ONCE || call->model->is_once);
}

static struct flow_control *find_control(const struct flow_controls *controls, uint32_t object, uint64_t offset)
{
	uint32_t i = controls->of_object[object];
	while (i && controls->rows[i - 1].offset != offset)
		i = controls->rows[i - 1].next;
	return i ? &controls->rows[i - 1] : NULL;
}

static void add_control(const struct flow_program *program, struct flow_controls *controls, struct points_location at,
			uint64_t is_guard)
{
	const struct whole_object *object = &program->whole->object[at.object];
	uint64_t folded;
	bool is_element = true;
	if (object->kind != WHOLE_GLOBAL || object->is_undefined || program->is_outside[at.object] ||
	    at.offset == POINTS_ANYWHERE || !whole_fold(program->whole, object, at.offset, &folded, &is_element) ||
	    is_element)
		return;
	struct flow_control *control = find_control(controls, at.object, at.offset);
	if (control) {
		control->is_void |= control->is_guard != (is_guard != 0);
		return;
	}
	controls->rows = flow_grow(controls->rows, controls->count, &controls->room, sizeof *controls->rows);
	controls->rows[controls->count++] = (struct flow_control){ .offset = at.offset,
								   .next = controls->of_object[at.object],
								   .is_guard = is_guard };
	controls->of_object[at.object] = controls->count;
}

/* Something else than what is done once writes there, size_bytes (0: not known). */
static void spoil(const struct flow_program *program, struct flow_controls *controls, struct points_location at,
		  uint64_t size_bytes)
{
	bool is_element = true, is_anywhere = at.offset == POINTS_ANYWHERE;
	uint64_t folded;
	/* An element may be any of the array's, and what is after it. */
	bool is_known =
		!is_anywhere && size_bytes && controls->of_object[at.object] &&
		whole_fold(program->whole, &program->whole->object[at.object], at.offset, &folded, &is_element) &&
		!is_element;
	for (uint32_t c = controls->of_object[at.object]; c; c = controls->rows[c - 1].next) {
		struct flow_control *control = &controls->rows[c - 1];
		uint64_t bytes = control->is_guard ? GUARD_BYTES : CONTROL_BYTES;
		control->is_void |= (is_anywhere || at.offset < control->offset + bytes) &&
				    (!is_known || control->offset < at.offset + size_bytes);
	}
}

typedef void each_place(const struct flow_program *program, struct flow_controls *controls, struct points_location at,
			uint64_t number);

/* Where a value may point to. An address is no question to points-to, and may have no answer there. */
static void for_places(const struct flow_program *program, struct flow_controls *controls, uint32_t value,
		       each_place *each, uint64_t number)
{
	if (value == WHOLE_NONE)
		return;
	const struct whole_value *row = &program->whole->value[value];
	struct points_set set = points_of_value(program->points, value);
	for (uint32_t i = 0; i < set.count; i++)
		each(program, controls, points_location(program->points, set.items[i]), number);
	if (row->kind == WHOLE_ADDRESS)
		each(program, controls, (struct points_location){ row->index, (uint64_t)row->offset }, number);
}

/* What a function of a library is given it may write; those for threads and locks have objects of their own. */
static void spoil_by_call(const struct flow_program *program, struct flow_controls *controls, uint32_t instruction)
{
	const struct whole_instruction *row = &program->whole->instruction[instruction];
	const struct flow_call *call = &program->calls[flow_call_at(program, instruction)];
	int own = is_control_call(call) && call->is_certain ? call->model->object : -1;
	bool is_lock = call->is_certain && (model_takes_lock(call->model) || call->model->sync == MODEL_UNLOCK);
	if (!call->may_skip)
		return;
	for (uint32_t o = 1; o < row->operand_count; o++)
		if ((int)o - 1 != own)
			for_places(program, controls, whole_operand(program->whole, row, o), spoil, is_lock ? 1 : 0);
}

static void spoil_by(const struct flow_program *program, struct flow_controls *controls, uint32_t instruction)
{
	const struct whole *whole = program->whole;
	const struct whole_instruction *row = &whole->instruction[instruction];
	switch ((enum whole_op)row->op) {
	case WHOLE_STORE:
	case WHOLE_UPDATE:
	case WHOLE_MOVE:
	case WHOLE_FILL:
		for_places(program, controls, whole_operand(whole, row, 0), spoil, row->size_bytes);
		break;
	case WHOLE_ASSEMBLY:
	case WHOLE_OTHER:
		for (uint32_t o = 0; o < row->operand_count; o++)
			for_places(program, controls, whole_operand(whole, row, o), spoil, 0);
		break;
	case WHOLE_CALL:
		spoil_by_call(program, controls, instruction);
		break;
	case WHOLE_COPY:
	case WHOLE_OFFSET:
	case WHOLE_SLOT:
	case WHOLE_LOAD:
	case WHOLE_RETURN:
	case WHOLE_FORGE:
		break;
	}
}

void flow_controls_find(const struct flow_program *program, struct flow_controls *controls)
{
	controls->of_object = mem_alloc(((size_t)program->whole->object_count + 1) * sizeof *controls->of_object);
	for (uint32_t c = 0; c < program->call_count; c++) {
		const struct flow_call *call = &program->calls[c];
		if (is_control_call(call))
			for_places(program, controls, flow_argument(program, call->instruction, call->model->object),
				   add_control, call->model->is_once);
	}
	for (uint32_t i = 0; controls->count && i < program->whole->instruction_count; i++)
		if (program->whole->instruction[i].function != WHOLE_NONE)
			spoil_by(program, controls, i);
}

void flow_controls_release(struct flow_controls *controls)
{
	free(controls->rows);
	free(controls->of_object);
}

/* Whether what is done once with the control there stays done. */
static bool is_lasting(const struct flow_controls *controls, uint32_t object, int64_t offset)
{
	const struct flow_control *control = find_control(controls, object, (uint64_t)offset);
	return control && !control->is_void;
}

/* ---- where it is known to be done ---- */

uint32_t flow_locks_done(struct flow_lock_sets *lock_sets, uint32_t set, uint32_t control, uint32_t call)
{
	const struct flow_controls *controls = lock_sets->in.controls;
	if (!controls->count || control == WHOLE_NONE || set == LOCKS_UNREACHED)
		return set;
	struct lock lock = flow_lock_of(lock_sets, control);
	struct node node = flow_node(lock_sets->in.paths, lock.node);
	if (node.kind != NODE_OBJECT || !is_lasting(controls, node.index, lock.offset))
		return set;
	lock.is_shared = LOCK_DONE;
	return flow_locks_add(lock_sets, set, lock, call);
}

uint32_t flow_locks_without_done(struct flow_lock_sets *lock_sets, uint32_t set)
{
	struct flow_ids rest = { 0 };
	uint32_t count = flow_locks_count(lock_sets, set);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		if (flow_lock_row(lock_sets, number).is_shared != LOCK_DONE)
			flow_ids_add(&rest, number);
	}
	if (rest.count != count)
		return flow_locks_intern(lock_sets, &rest);
	flow_ids_release(&rest);
	return set;
}

uint32_t flow_known_done(const struct flow_controls *controls, struct flow_paths *paths,
			 const struct whole_block *block, uint32_t successor)
{
	const struct whole *whole = paths->in.program->whole;
	int64_t distance;
	if (!controls->count || block->test.value == WHOLE_NONE || block->successor_count != 2 ||
	    block->test.constant || successor == block->test.if_equal)
		return WHOLE_NONE;
	const struct whole_value *value = &whole->value[whole_base(whole, block->test.value, &distance)];
	if (distance || value->kind != WHOLE_RESULT)
		return WHOLE_NONE;
	const struct whole_instruction *load = &whole->instruction[value->index];
	if (load->op != WHOLE_LOAD || load->size_bytes != 1 || load->access_count != 1)
		return WHOLE_NONE;
	uint8_t order = whole->access[load->first_access].order & 15;
	uint32_t pointer = whole_operand(whole, load, 0);
	if (order < HEDDLE_ORDER_ACQUIRE)
		return WHOLE_NONE;
	struct path path = flow_path(paths, pointer);
	struct node node = flow_node(paths, path.node);
	const struct flow_control *control =
		node.kind == NODE_OBJECT ? find_control(controls, node.index, (uint64_t)path.offset) : NULL;
	return control && control->is_guard ? pointer : WHOLE_NONE;
}
