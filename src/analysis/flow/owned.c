/*
 * owned.c: what is over when a std::thread, or a container of them, is found empty. Each thread that was neither waited
 * for nor detached has its handle in one living std::thread: they are moved, never copied, and one that is destroyed
 * with a handle in it ends the program. analysis/flow/handles.c knows where handles of a start may be. If at some point
 * of the program all those places are empty, none of its threads is alive:
 *
 *     one std::thread        after its join, and where it is found not to be set
 *     an array               after a loop that does so for each of its elements
 *     a std::vector          the same from its begin to its end, or its destructor; nothing else may know its blocks
 *     a stack slot           when it was not filled on any way to this point, or was emptied since: moved from, destroyed;
 *                            and when its function is not running
 *
 * analysis/flow/concurrent.c checks what must hold of threads: no other thread may start such threads, or have them, at
 * that time; and a container on the stack is the only one of its kind then.
 * Input: struct flow_joining. Result: its handles, and joins that are added to its struct flow_joins.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/joining.h"
#include "base/mem.h"
#include "base/word.h"

enum { HANDLE_BYTES = 8, VECTOR_BYTES = 24 };

/* How many starts are examined. */
enum { MAX_FOLLOWED = 64 };

/* ---- stack slots that handles pass through ---- */

struct slot {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_handles *handles;
	struct points_location place;
	uint32_t function, value;
	bool *is_writer; /* of each function: it or what it calls may put a handle there */
	bool *is_set;    /* of each block, where it begins: there may be a handle */
};

static bool may_point_to(const struct flow_program *program, uint32_t pointer, struct points_location place,
			 uint64_t size_bytes)
{
	struct points_set set = points_of_value(program->points, pointer);
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(program->points, set.items[i]);
		if (at.object == place.object &&
		    (at.offset == POINTS_ANYWHERE || place.offset == POINTS_ANYWHERE || !size_bytes ||
		     (at.offset < place.offset + HANDLE_BYTES && place.offset < at.offset + size_bytes)))
			return true;
	}
	return false;
}

static bool starts_at(const struct flow_program *program, const struct flow_threads *threads, uint32_t call,
		      struct points_location place)
{
	struct flow_range starts = threads->creates_of[call];
	for (uint32_t c = 0; c < starts.count; c++) {
		const struct flow_create *create = &threads->creates[starts.first + c];
		if (create->handle != WHOLE_NONE && may_point_to(program, create->handle, place, 0))
			return true;
	}
	return false;
}

/* Whether the instruction, if it is no call, may put a handle there. */
static bool puts_handle(const struct slot *slot, const struct whole_instruction *row)
{
	const struct whole *whole = slot->program->whole;
	if (row->op == WHOLE_STORE)
		return slot->handles->is_value[whole_operand(whole, row, 1)] &&
		       !flow_is_zero(slot->program, whole_operand(whole, row, 1), row->block) &&
		       may_point_to(slot->program, whole_operand(whole, row, 0), slot->place, row->size_bytes);
	return (row->op == WHOLE_UPDATE || row->op == WHOLE_MOVE) &&
	       may_point_to(slot->program, whole_operand(whole, row, 0), slot->place, row->size_bytes);
}

/* Marks the functions from which calls lead to one of todo, all of which are marked. Nothing is left in todo. */
static void mark_callers(const struct flow_program *program, struct flow_ids *todo, bool *is_marked)
{
	while (todo->count) {
		const struct flow_ids *callers = &program->callers[todo->items[--todo->count]];
		for (uint32_t i = 0; i < callers->count; i++) {
			uint32_t call = program->calls[callers->items[i]].instruction;
			uint32_t f = program->whole->instruction[call].function;
			if (is_marked[f])
				continue;
			is_marked[f] = true;
			flow_ids_add(todo, f);
		}
	}
}

static void find_writers(struct slot *slot)
{
	const struct flow_program *program = slot->program;
	const struct flow_threads *threads = slot->threads;
	struct flow_ids todo = { 0 };
	for (uint32_t f = 0; f < program->whole->function_count; f++) {
		const struct whole_function *row = &program->whole->function[f];
		for (uint32_t i = 0; threads->is_reached[f] && i < row->instruction_count && !slot->is_writer[f]; i++) {
			const struct whole_instruction *at = &program->whole->instruction[row->first_instruction + i];
			if (at->op == WHOLE_CALL)
				slot->is_writer[f] =
					starts_at(program, threads, flow_call_at(program, row->first_instruction + i),
						  slot->place);
			else
				slot->is_writer[f] = puts_handle(slot, at);
		}
		if (slot->is_writer[f])
			flow_ids_add(&todo, f);
	}
	mark_callers(program, &todo, slot->is_writer);
	flow_ids_release(&todo);
}

static bool is_slot_itself(const struct slot *slot, uint32_t value)
{
	int64_t distance;
	return value != WHOLE_NONE && whole_base(slot->program->whole, value, &distance) == slot->value &&
	       distance == (int64_t)slot->place.offset;
}

/* Behind these a std::thread has no handle: the first argument, or the second. */
static bool empties(const struct slot *slot, const struct flow_call *call)
{
	static const char *const destructors[] = { "_ZNSt6threadD1Ev", "_ZNSt6threadD2Ev", NULL };
	static const char *const moves[] = { "_ZNSt6threadC1EOS_", "_ZNSt6threadC2EOS_", "_ZNSt6threadaSEOS_", NULL };
	const struct whole *whole = slot->program->whole;
	uint32_t callee = whole_direct_callee(whole, &whole->instruction[call->instruction]);
	uint32_t first = flow_argument(slot->program, call->instruction, 0),
		 second = flow_argument(slot->program, call->instruction, 1);
	if (call->is_certain && call->model->sync == MODEL_JOIN && call->model->is_object_in_memory)
		return is_slot_itself(slot, first);
	const char *name = callee == WHOLE_NONE ? NULL : whole->function[callee].name;
	if (word_is_among(name, destructors))
		return is_slot_itself(slot, first);
	return word_is_among(name, moves) && is_slot_itself(slot, second);
}

static bool may_fill(const struct slot *slot, const struct flow_call *call)
{
	const struct whole_instruction *row = &slot->program->whole->instruction[call->instruction];
	bool is_given = false, is_writer = starts_at(slot->program, slot->threads,
						     flow_call_at(slot->program, call->instruction), slot->place);
	for (uint32_t t = 0; t < call->target_count; t++)
		is_writer |= slot->is_writer[slot->program->targets.items[call->first_target + t]];
	for (uint32_t o = 1; o < row->operand_count && is_writer && !is_given; o++)
		is_given = may_point_to(slot->program, whole_operand(slot->program->whole, row, o), slot->place, 0);
	return is_writer && is_given;
}

/* Whether the instruction may read the slot, or pass it to code that does; *is_filled: the slot holds a number after
 * it. */
static bool reads(const struct slot *slot, const struct whole_instruction *row, bool *is_filled)
{
	const struct whole *whole = slot->program->whole;
	*is_filled = row->op == WHOLE_STORE && row->size_bytes == HANDLE_BYTES &&
		     whole->value[whole_operand(whole, row, 1)].kind == WHOLE_NUMBER &&
		     is_slot_itself(slot, whole_operand(whole, row, 0));
	for (uint32_t o = row->op == WHOLE_STORE || row->op == WHOLE_FILL; o < row->operand_count; o++)
		if (may_point_to(slot->program, whole_operand(whole, row, o), slot->place, 0))
			return row->op != WHOLE_COPY && row->op != WHOLE_OFFSET;
	return false;
}

/* Whether nothing reads the slot after an instruction before it is filled with a number. */
static bool is_dead_behind(const struct slot *slot, uint32_t instruction)
{
	const struct whole *whole = slot->program->whole;
	const struct flow_body *body = &slot->program->bodies[slot->function];
	uint32_t first_block = whole->function[slot->function].first_block;
	bool *is_seen = mem_alloc((size_t)body->graph.node_count + 1), is_dead = true;
	struct flow_ids todo = { 0 };
	flow_ids_add(&todo, whole->instruction[instruction].block - first_block);
	for (bool is_first = true; todo.count && is_dead; is_first = false) {
		uint32_t block = todo.items[--todo.count];
		const struct whole_block *row = &whole->block[first_block + block];
		uint32_t i = is_first ? instruction + 1 : row->first_instruction,
			 end = row->first_instruction + row->instruction_count;
		bool is_filled = false;
		for (; i < end && is_dead && !is_filled; i++)
			is_dead = !reads(slot, &whole->instruction[i], &is_filled);
		for (uint32_t e = body->graph.first[block]; !is_filled && e < body->graph.first[block + 1]; e++) {
			if (!is_seen[body->graph.targets[e]])
				flow_ids_add(&todo, body->graph.targets[e]);
			is_seen[body->graph.targets[e]] = true;
		}
	}
	flow_ids_release(&todo);
	free(is_seen);
	return is_dead;
}

/* Whether the handle is moved out: stored elsewhere, and the slot is not read again. Compilers omit the zero that would
 * be left there. */
static bool takes_handle(const struct slot *slot, uint32_t instruction)
{
	const struct whole *whole = slot->program->whole;
	const struct whole_instruction *row = &whole->instruction[instruction];
	int64_t distance;
	if (row->op != WHOLE_STORE || row->size_bytes != HANDLE_BYTES)
		return false;
	const struct whole_value *value = &whole->value[whole_base(whole, whole_operand(whole, row, 1), &distance)];
	const struct whole_instruction *load = value->kind == WHOLE_RESULT ? &whole->instruction[value->index] : NULL;
	return load && !distance && load->op == WHOLE_LOAD && load->size_bytes == HANDLE_BYTES &&
	       load->block == row->block && is_slot_itself(slot, whole_operand(whole, load, 0)) &&
	       !may_point_to(slot->program, whole_operand(whole, row, 0), slot->place, HANDLE_BYTES) &&
	       is_dead_behind(slot, instruction);
}

static bool is_set_behind(const struct slot *slot, uint32_t instruction, bool is_set)
{
	const struct whole *whole = slot->program->whole;
	const struct whole_instruction *row = &whole->instruction[instruction];
	if (row->op == WHOLE_CALL) {
		const struct flow_call *call = &slot->program->calls[flow_call_at(slot->program, instruction)];
		return !empties(slot, call) && (is_set || may_fill(slot, call));
	}
	if (row->op == WHOLE_STORE && row->size_bytes == HANDLE_BYTES &&
	    (whole->value[whole_operand(whole, row, 1)].kind == WHOLE_NUMBER ||
	     flow_is_zero(slot->program, whole_operand(whole, row, 1), row->block)) &&
	    is_slot_itself(slot, whole_operand(whole, row, 0)))
		return false;
	if (is_set && takes_handle(slot, instruction))
		return false;
	return is_set || puts_handle(slot, row);
}

/* From the start of a block to before an instruction, or its end. */
static bool is_set_at(const struct slot *slot, uint32_t block, uint32_t until)
{
	const struct whole_block *row =
		&slot->program->whole->block[slot->program->whole->function[slot->function].first_block + block];
	bool is_set = slot->is_set[block];
	for (uint32_t i = row->first_instruction; i < row->first_instruction + row->instruction_count && i != until;
	     i++)
		is_set = is_set_behind(slot, i, is_set);
	return is_set;
}

static bool is_set_along(const struct slot *slot, uint32_t block, uint32_t successor)
{
	const struct whole_block *row =
		&slot->program->whole->block[slot->program->whole->function[slot->function].first_block + block];
	uint32_t tested[FLOW_MAX_TESTED], unset;
	unsigned count = flow_tested_pointers(slot->program, row, tested, &unset);
	for (unsigned i = 0; i < count && successor == unset; i++)
		if (is_slot_itself(slot, tested[i]))
			return false;
	return is_set_at(slot, block, WHOLE_NONE);
}

static void find_set(struct slot *slot)
{
	const struct flow_body *body = &slot->program->bodies[slot->function];
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 0; i < body->reached; i++) {
			uint32_t block = body->order[i];
			for (uint32_t e = body->graph.first[block]; e < body->graph.first[block + 1]; e++) {
				bool *to = &slot->is_set[body->graph.targets[e]];
				if (*to || !is_set_along(slot, block, e - body->graph.first[block]))
					continue;
				*to = is_changed = true;
			}
		}
	}
}

/* Whether the slot's address is somewhere in memory. */
static bool is_known_elsewhere(const struct flow_program *program, uint32_t object)
{
	for (uint32_t l = 0; l < points_location_count(program->points); l++) {
		struct points_set set = points_of_location(program->points, l);
		for (uint32_t i = 0; i < set.count; i++)
			if (points_location(program->points, set.items[i]).object == object)
				return true;
	}
	return false;
}

/* ---- the question ---- */

struct owned {
	const struct flow_joining *joining;
	const struct flow_empty *empty;
	bool *is_around; /* of each function: it may be running when it is empty: calls lead from there */
	bool is_at_end;  /* any may be: the program or a thread ends, and that leads there */
};

static void find_around(struct owned *owned)
{
	const struct flow_program *program = owned->joining->program;
	const struct flow_threads *threads = owned->joining->threads;
	struct flow_ids todo = { 0 };
	owned->is_around = mem_alloc((size_t)program->whole->function_count + 1);
	flow_ids_add(&todo, owned->empty->function);
	owned->is_around[owned->empty->function] = true;
	mark_callers(program, &todo, owned->is_around);
	const struct flow_ids *ends[] = { &threads->last_functions, &threads->thread_end_functions };
	for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
		for (uint32_t i = 0; i < ends[e]->count; i++)
			owned->is_at_end |= owned->is_around[ends[e]->items[i]];
	flow_ids_release(&todo);
}

/* At the point itself, and at all calls that lead there. */
static bool is_set_when_asked(const struct owned *owned, const struct slot *slot)
{
	const struct flow_program *program = owned->joining->program;
	const struct flow_empty *empty = owned->empty;
	const struct flow_body *body = &program->bodies[slot->function];
	uint32_t first_block = program->whole->function[slot->function].first_block;
	bool is_set = false;
	if (slot->function == empty->function && empty->call != WHOLE_NONE)
		is_set |= is_set_at(slot, program->whole->instruction[empty->call].block - first_block, empty->call);
	for (uint32_t e = 0; slot->function == empty->function && e + 1 < empty->edges.count; e += 2)
		is_set |= is_set_along(slot, empty->edges.items[e], empty->edges.items[e + 1]);
	for (uint32_t b = 0; b < body->graph.node_count && !is_set; b++)
		for (uint32_t c = body->first_call[b]; c < body->first_call[b + 1]; c++)
			for (uint32_t t = 0; t < program->calls[c].target_count; t++)
				if (owned->is_around[program->targets.items[program->calls[c].first_target + t]])
					is_set |= is_set_at(slot, b, program->calls[c].instruction);
	return is_set;
}

static bool is_empty_slot(const struct owned *owned, const struct flow_handles *handles, struct points_location place)
{
	const struct flow_program *program = owned->joining->program;
	const struct flow_threads *threads = owned->joining->threads;
	const struct whole_object *object = &program->whole->object[place.object];
	if (object->kind != WHOLE_STACK || object->function == WHOLE_NONE || object->instruction == WHOLE_NONE ||
	    owned->is_at_end)
		return false;
	/* Where its function is not running it was destroyed. */
	if (!owned->is_around[object->function])
		return true;
	bool is_element = true;
	uint64_t folded;
	const struct whole_instruction *made = &program->whole->instruction[object->instruction];
	uint32_t block = made->block - program->whole->function[object->function].first_block;
	if (place.offset == POINTS_ANYWHERE ||
	    !whole_fold(program->whole, object, place.offset, &folded, &is_element) || is_element ||
	    program->bodies[object->function].is_in_cycle[block] ||
	    program->is_recursive[program->component[object->function]] || is_known_elsewhere(program, place.object))
		return false;
	struct slot slot = {
		.program = program, .threads = threads, .handles = handles, .place = place, .function = object->function
	};
	slot.value = made->result;
	slot.is_writer = mem_alloc((size_t)program->whole->function_count + 1);
	slot.is_set = mem_alloc((size_t)program->bodies[object->function].graph.node_count + 1);
	find_writers(&slot);
	find_set(&slot);
	bool is_empty = !is_set_when_asked(owned, &slot);
	free(slot.is_writer);
	free(slot.is_set);
	return is_empty;
}

/* ---- containers ---- */

/* Whether pointers into the block are in the vector alone; iterators on the stack own nothing. */
static bool is_block_of(const struct flow_program *program, const struct flow_empty *empty, uint32_t block)
{
	bool is_of = false;
	for (uint32_t l = 0; l < points_location_count(program->points); l++) {
		struct points_location at = points_location(program->points, l);
		const struct whole_object *object = &program->whole->object[at.object];
		struct points_set set = points_of_location(program->points, l);
		bool points_there = false;
		for (uint32_t i = 0; i < set.count && !points_there; i++)
			points_there = points_location(program->points, set.items[i]).object == block;
		if (!points_there)
			continue;
		bool is_vector = at.object == empty->object && at.offset != POINTS_ANYWHERE &&
				 at.offset >= empty->offset && at.offset < empty->offset + VECTOR_BYTES;
		if (!is_vector &&
		    (object->kind != WHOLE_STACK || object->size_bytes > HANDLE_BYTES || !object->size_bytes))
			return false;
		is_of |= is_vector;
	}
	return is_of;
}

/* The array that an offset is in goes from *start to *end; false: in none. */
static bool array_around(const struct whole *whole, const struct whole_object *object, uint64_t offset, uint64_t *start,
			 uint64_t *end)
{
	const struct whole_layout *layout = object->layout == WHOLE_NONE ? NULL : &whole->layout[object->layout];
	for (uint32_t i = 0; layout && i < layout->array_count; i++) {
		const struct whole_array *array = &whole->array[layout->first_array + i];
		*start = array->start;
		*end = array->end;
		if (i + 1 == layout->array_count && array->end >= layout->size_bytes && object->size_bytes)
			*end = object->size_bytes;
		if (offset >= *start && offset < *end)
			return true;
	}
	return false;
}

static bool is_covered(const struct owned *owned, struct points_location place)
{
	const struct flow_empty *empty = owned->empty;
	const struct whole_object *object = &owned->joining->program->whole->object[place.object];
	uint64_t start, end;
	if (empty->is_vector) {
		bool is_handle =
			empty->stride == HANDLE_BYTES ||
			(place.offset != POINTS_ANYWHERE && place.offset % empty->stride == empty->handle_offset);
		return object->kind == WHOLE_HEAP && is_handle &&
		       is_block_of(owned->joining->program, empty, place.object);
	}
	if (place.object != empty->object || place.offset == POINTS_ANYWHERE || place.offset < empty->offset ||
	    place.offset >= empty->end)
		return false;
	return !array_around(owned->joining->program->whole, object, place.offset, &start, &end) ||
	       (start >= empty->offset - empty->handle_offset && end <= empty->end);
}

static bool has_covered(const struct owned *owned, const struct flow_handles *handles)
{
	for (uint32_t p = 0; !handles->is_lost && p < handles->place_count; p++)
		if (is_covered(owned, handles->places[p]))
			return true;
	return false;
}

/* Whether one that was emptied in a round may be filled again before the loop ends. */
static bool is_refilled(const struct owned *owned, uint32_t create)
{
	const struct flow_program *program = owned->joining->program;
	const struct whole *whole = program->whole;
	const struct flow_empty *empty = owned->empty;
	const struct flow_body *body = &program->bodies[empty->function];
	const struct flow_handles *handles = &owned->joining->handles[create];
	for (uint32_t i = 0; i < empty->rounds.count; i++) {
		uint32_t block = empty->rounds.items[i];
		const struct whole_block *row = &whole->block[whole->function[empty->function].first_block + block];
		for (uint32_t k = row->first_instruction; k < row->first_instruction + row->instruction_count; k++)
			if (flow_handles_moves(program, handles, k))
				return true;
		for (uint32_t c = body->first_call[block]; c < body->first_call[block + 1]; c++)
			if (flow_handles_puts(program, owned->joining->threads, handles, create, c))
				return true;
	}
	return false;
}

/* Whether none of the threads of a start is alive when it is empty; adds functions that have handles on the stack, or in values. */
static bool is_over(const struct owned *owned, const struct flow_handles *handles, struct flow_ids *holders)
{
	for (uint32_t f = 0; f < owned->joining->program->whole->function_count; f++) {
		if (handles->keeps[f] && (owned->is_around[f] || owned->is_at_end))
			return false;
		if (handles->keeps[f] || handles->moves[f])
			flow_ids_add_new(holders, f);
	}
	for (uint32_t p = 0; p < handles->place_count; p++) {
		if (is_covered(owned, handles->places[p]))
			continue;
		if (!is_empty_slot(owned, handles, handles->places[p]))
			return false;
		flow_ids_add_new(holders, owned->joining->program->whole->object[handles->places[p].object].function);
	}
	return true;
}

void flow_owned_add(struct flow_joining *joining, const struct flow_empty *empty)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	const struct whole_object *object = &program->whole->object[empty->object];
	bool is_single = flow_is_single(program, joining->single, empty->object);
	if (flow_is_foreign(program, empty->object) || !joining->handles)
		return;
	if (!is_single && (object->kind != WHOLE_STACK || object->function == WHOLE_NONE ||
			   program->is_recursive[program->component[object->function]]))
		return;
	struct owned owned = { .joining = joining, .empty = empty };
	struct flow_ids creates = { 0 }, holders = { 0 };
	for (uint32_t c = 0; c < threads->create_count; c++) {
		if (!has_covered(&owned, &joining->handles[c]))
			continue;
		if (!owned.is_around)
			find_around(&owned);
		if (!is_refilled(&owned, c) && is_over(&owned, &joining->handles[c], &holders))
			flow_ids_add(&creates, c);
	}
	if (creates.count) {
		struct flow_join *join = flow_add_join(program, joining->joins, empty->function, empty->call);
		flow_join_roots(threads, join, &creates);
		for (uint32_t e = 0; e < empty->edges.count; e++)
			flow_ids_add(&join->edges, empty->edges.items[e]);
		for (uint32_t b = 0; b < empty->rounds.count; b++)
			flow_ids_add(&join->rounds, empty->rounds.items[b]);
		join->is_owned = true;
		join->owner = is_single ? WHOLE_NONE : object->function;
		join->holders = holders;
		holders = (struct flow_ids){ 0 };
	}
	flow_ids_release(&creates);
	flow_ids_release(&holders);
	free(owned.is_around);
}

bool flow_owned_place(const struct flow_program *program, uint32_t pointer, struct flow_empty *empty)
{
	struct points_set set = points_of_value(program->points, pointer);
	if (set.count != 1)
		return false;
	struct points_location at = points_location(program->points, set.items[0]);
	uint64_t folded;
	bool is_element = true;
	if (at.offset == POINTS_ANYWHERE ||
	    !whole_fold(program->whole, &program->whole->object[at.object], at.offset, &folded, &is_element) ||
	    is_element)
		return false;
	empty->object = at.object;
	empty->offset = at.offset;
	empty->end = at.offset + HANDLE_BYTES;
	return true;
}

/* ---- where something is found empty ---- */

/* The destructor of a vector of threads, or what empties it; where it is not inlined. */
static bool empties_vector(const char *name)
{
	static const char *const names[] = { "_ZNSt6vectorISt6threadSaIS0_EED1Ev", "_ZNSt6vectorISt6threadSaIS0_EED2Ev",
					     "_ZNSt6vectorISt6threadSaIS0_EE5clearEv", NULL };
	return word_is_among(name, names);
}

static void find_calls(struct flow_joining *joining, uint32_t c)
{
	const struct flow_program *program = joining->program;
	const struct flow_call *call = &program->calls[c];
	const struct whole_instruction *row = &program->whole->instruction[call->instruction];
	struct flow_empty empty = { .function = row->function, .call = call->instruction };
	uint32_t callee = whole_direct_callee(program->whole, row),
		 object = flow_argument(program, call->instruction, 0);
	if (object == WHOLE_NONE)
		return;
	if (callee != WHOLE_NONE && empties_vector(program->whole->function[callee].name)) {
		empty.is_vector = true;
		empty.stride = HANDLE_BYTES;
	} else if (!call->model || !call->is_certain || call->model->sync != MODEL_JOIN ||
		   !call->model->is_object_in_memory) {
		return;
	}
	if (flow_owned_place(program, object, &empty))
		flow_owned_add(joining, &empty);
}

static void find_tests(struct flow_joining *joining, uint32_t function, uint32_t block)
{
	const struct flow_program *program = joining->program;
	const struct whole_block *row = &program->whole->block[program->whole->function[function].first_block + block];
	struct flow_empty empty = { .function = function, .call = WHOLE_NONE };
	uint32_t tested[FLOW_MAX_TESTED], unset;
	unsigned count = flow_tested_pointers(program, row, tested, &unset);
	for (unsigned i = 0; i < count; i++) {
		if (!flow_owned_place(program, tested[i], &empty))
			continue;
		empty.edges.count = 0;
		flow_ids_add(&empty.edges, block);
		flow_ids_add(&empty.edges, unset);
		flow_owned_add(joining, &empty);
	}
	flow_ids_release(&empty.edges);
}

void flow_owned_find(struct flow_joining *joining)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	uint32_t followed = 0;
	uint64_t steps = 0;
	for (uint32_t c = 0; c < threads->create_count && followed <= MAX_FOLLOWED; c++) {
		const struct flow_create *create = &threads->creates[c];
		const struct model *model = program->calls[flow_call_at(program, create->inner)].model;
		if (!model || model->routine_kind != MODEL_METHOD || create->kind != FLOW_THREAD ||
		    create->handle == WHOLE_NONE)
			continue;
		if (!joining->handles)
			joining->handles = mem_alloc((size_t)threads->create_count * sizeof *joining->handles);
		flow_handles_find(program, threads, c, &steps, &joining->handles[c]);
		followed++;
	}
	if (!joining->handles)
		return;
	for (uint32_t c = 0; c < program->call_count; c++)
		if (threads->is_reached[program->whole->instruction[program->calls[c].instruction].function])
			find_calls(joining, c);
	for (uint32_t f = 0; f < program->whole->function_count; f++)
		for (uint32_t b = 0; threads->is_reached[f] && b < program->bodies[f].graph.node_count; b++)
			find_tests(joining, f, b);
	flow_walks_find(joining);
}

void flow_owned_release(struct flow_joining *joining)
{
	for (uint32_t c = 0; joining->handles && c < joining->threads->create_count; c++)
		flow_handles_release(&joining->handles[c]);
	free(joining->handles);
}
