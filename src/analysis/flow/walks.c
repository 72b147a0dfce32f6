/*
 * walks.c: loops that go over all threads of a std::vector, and find each of them empty:
 *
 *     for (auto &thread : threads) thread.join();              and the loop in the vector's destructor
 *
 * A pointer goes from the vector's begin to its end, one element per iteration: both were loaded from there, or stored,
 * on all paths to the loop, and not written since. It must be a std::vector by its type: other containers may hold more
 * than what is between begin and end. Every iteration joins the element that it points to, or finds it not set.
 * analysis/flow/concurrent.c, which knows all threads, checks that no other thread starts such threads in the meantime.
 * Input: struct flow_joining. Result: joins that are added to its struct flow_joins, by owned.c.
 */
#include <stdlib.h>

#include "analysis/flow/joining.h"
#include "base/mem.h"

enum { POINTER_BYTES = 8, HEADER_BYTES = 16 };

/* One loop over a vector. */
struct walk {
	struct flow_counted counted;
	uint32_t pointer, begin, end; /* values */
	uint32_t header;              /* where the vector is: the address of its begin, a value */
	struct flow_cell begin_cell, end_cell;
};

/* The load that a value is the result of, or WHOLE_NONE. */
static uint32_t load_of(const struct whole *whole, uint32_t value)
{
	int64_t distance;
	const struct whole_value *row = &whole->value[whole_base(whole, value, &distance)];
	bool is_load = !distance && row->kind == WHOLE_RESULT && whole->instruction[row->index].op == WHOLE_LOAD &&
		       whole->instruction[row->index].size_bytes == POINTER_BYTES;
	return is_load ? row->index : WHOLE_NONE;
}

static bool are_equal(struct flow_cell a, struct flow_cell b)
{
	return a.object == b.object && a.base == b.base && a.offset == b.offset;
}

/* Whether the block leaves the loop when the pointer, after `added`, is at the end. */
static bool leaves_at(const struct flow_shape *shape, uint32_t header, uint32_t block, bool is_first, struct walk *walk)
{
	const struct whole *whole = shape->joining->program->whole;
	const struct whole_block *row = &whole->block[shape->first_block + block];
	uint32_t exit = row->compare.if_true;
	if (row->compare.relation != WHOLE_EQUAL || row->successor_count != 2 ||
	    flow_is_in_loop(shape, whole->successors[row->first_successor + exit] - shape->first_block, header) ||
	    !flow_is_in_loop(shape, whole->successors[row->first_successor + 1 - exit] - shape->first_block, header))
		return false;
	for (uint32_t side = 0; side < 2; side++) {
		int64_t added, step;
		uint32_t pointer = whole_base(whole, side ? row->compare.right : row->compare.left, &added);
		uint32_t start = flow_start_of(shape, pointer, header, &step);
		if (start == WHOLE_NONE || added != (is_first ? 0 : step))
			continue;
		*walk = (struct walk){ .pointer = pointer, .begin = start };
		walk->end = side ? row->compare.left : row->compare.right;
		walk->counted = (struct flow_counted){ .header = header,
						       .counter = pointer,
						       .start = start,
						       .step = step,
						       .is_tested_first = is_first,
						       .exit_block = block,
						       .exit_successor = exit };
		return true;
	}
	return false;
}

static bool find_walk(const struct flow_shape *shape, uint32_t header, struct walk *walk)
{
	const struct whole *whole = shape->joining->program->whole;
	uint32_t latch = flow_only_latch(shape, header);
	if (latch == GRAPH_NONE || (!leaves_at(shape, header, latch, false, walk) &&
				    (latch == header || !leaves_at(shape, header, header, true, walk))))
		return false;
	/* The compiler may know what it stored as the end; the begin is loaded at some time. */
	uint32_t load = load_of(whole, walk->begin);
	if (load == WHOLE_NONE)
		return false;
	walk->header = whole_operand(whole, &whole->instruction[load], 0);
	walk->begin_cell = flow_cell_of(shape->joining->program, shape->joining->single, walk->header, 0);
	walk->end_cell = flow_cell_of(shape->joining->program, shape->joining->single, walk->header, POINTER_BYTES);
	return true;
}

/* ---- each round ---- */

/* Whether an address is that of the handle in the current element; its distance from the start of the element is
 * kept. */
static bool is_handle(const struct flow_shape *shape, const struct walk *walk, uint32_t address, int64_t *distance)
{
	int64_t at;
	if (address == WHOLE_NONE || whole_base(shape->joining->program->whole, address, &at) != walk->pointer ||
	    at < 0 || at >= walk->counted.step || (*distance >= 0 && *distance != at))
		return false;
	*distance = at;
	return true;
}

static bool joins_in(const struct flow_shape *shape, const struct walk *walk, uint32_t block, int64_t *distance)
{
	const struct flow_program *program = shape->joining->program;
	const struct flow_body *body = &program->bodies[shape->function];
	for (uint32_t c = body->first_call[block]; c < body->first_call[block + 1]; c++) {
		const struct flow_call *call = &program->calls[c];
		if (call->model && call->is_certain && call->model->sync == MODEL_JOIN &&
		    call->model->is_object_in_memory &&
		    is_handle(shape, walk, flow_argument(program, call->instruction, call->model->object), distance))
			return true;
	}
	return false;
}

/* Whether no way through the loop's body leaves the element as it is. */
static bool empties_each(const struct flow_shape *shape, const struct walk *walk, int64_t *distance)
{
	const struct whole *whole = shape->joining->program->whole;
	uint32_t latch = flow_only_latch(shape, walk->counted.header);
	bool *is_seen = mem_alloc(shape->count), is_missed = false;
	struct flow_ids todo = { 0 };
	*distance = -1;
	flow_ids_add(&todo, walk->counted.header);
	is_seen[walk->counted.header] = true;
	while (todo.count && !is_missed) {
		uint32_t block = todo.items[--todo.count];
		const struct whole_block *row = &whole->block[shape->first_block + block];
		uint32_t tested[FLOW_MAX_TESTED], unset;
		unsigned count = flow_tested_pointers(shape->joining->program, row, tested, &unset);
		if (joins_in(shape, walk, block, distance))
			continue;
		for (uint32_t s = 0; s < row->successor_count; s++) {
			uint32_t to = whole->successors[row->first_successor + s] - shape->first_block;
			if (!flow_is_in_loop(shape, to, walk->counted.header) && block != latch)
				continue;
			bool is_empty = false;
			for (unsigned i = 0; i < count && s == unset; i++)
				is_empty |= is_handle(shape, walk, tested[i], distance);
			if (is_empty)
				continue;
			is_missed |= block == latch;
			if (!is_seen[to])
				flow_ids_add(&todo, to);
			is_seen[to] = true;
		}
	}
	flow_ids_release(&todo);
	free(is_seen);
	return !is_missed && *distance >= 0;
}

/* ---- the vector does not change meanwhile ---- */

struct keep {
	const struct flow_shape *shape;
	struct points_location header;
	bool *is_writer; /* of each function */
};

static bool may_write(const struct flow_program *program, uint32_t pointer, uint64_t size_bytes,
		      struct points_location header)
{
	struct points_set set = points_of_value(program->points, pointer);
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(program->points, set.items[i]);
		if (at.object == header.object &&
		    (at.offset == POINTS_ANYWHERE || !size_bytes ||
		     (at.offset < header.offset + HEADER_BYTES && header.offset < at.offset + size_bytes)))
			return true;
	}
	return false;
}

static bool writes(const struct keep *keep, uint32_t instruction)
{
	const struct flow_program *program = keep->shape->joining->program;
	const struct whole_instruction *row = &program->whole->instruction[instruction];
	bool is_writing = row->op == WHOLE_STORE || row->op == WHOLE_UPDATE || row->op == WHOLE_MOVE ||
			  row->op == WHOLE_FILL || row->op == WHOLE_OTHER || row->op == WHOLE_ASSEMBLY;
	if (row->op != WHOLE_CALL)
		return is_writing && row->operand_count &&
		       may_write(program, whole_operand(program->whole, row, 0), row->size_bytes, keep->header);
	const struct flow_call *call = &program->calls[flow_call_at(program, instruction)];
	for (uint32_t t = 0; t < call->target_count; t++)
		if (keep->is_writer[program->targets.items[call->first_target + t]])
			return true;
	/* A library that is given the vector itself. */
	for (uint32_t o = 1; call->may_skip && !call->model && o < row->operand_count; o++)
		if (may_write(program, whole_operand(program->whole, row, o), 0, keep->header))
			return true;
	return false;
}

static void find_writers(struct keep *keep)
{
	const struct flow_program *program = keep->shape->joining->program;
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 0; i < program->bottom_up.count; i++) {
			uint32_t f = program->bottom_up.items[i];
			const struct whole_function *row = &program->whole->function[f];
			for (uint32_t k = 0; keep->shape->joining->threads->is_reached[f] && !keep->is_writer[f] &&
					     k < row->instruction_count;
			     k++)
				if (writes(keep, row->first_instruction + k))
					keep->is_writer[f] = is_changed = true;
		}
	}
}

/* ---- what is in the vector ---- */

struct content {
	const struct keep *keep;
	struct graph before;  /* edges the other way round */
	struct flow_ids seen; /* block, value and part, in turn */
};

static bool is_same_value(const struct whole *whole, uint32_t a, uint32_t b)
{
	int64_t x, y;
	return a == b || (whole_base(whole, a, &x) == whole_base(whole, b, &y) && x == y);
}

static bool is_content_at(struct content *content, uint32_t value, struct flow_cell cell, uint32_t block);

/* Whether the value is in the cell where the block begins, on all ways there. */
static bool is_content_before(struct content *content, uint32_t value, struct flow_cell cell, uint32_t block)
{
	const struct flow_shape *shape = content->keep->shape;
	const struct whole *whole = shape->joining->program->whole;
	const struct whole_value *row = &whole->value[value];
	const struct whole_instruction *made = row->kind == WHOLE_RESULT ? &whole->instruction[row->index] : NULL;
	bool is_here = made && made->function == shape->function && made->block == shape->first_block + block;
	uint32_t first = content->before.first[block], count = content->before.first[block + 1] - first;
	if (!count || (is_here && (!made->is_phi || made->operand_count != count)))
		return false;
	for (uint32_t e = 0; e < count; e++)
		if (!is_content_at(content, is_here ? whole_operand(whole, made, e) : value, cell,
				   content->before.targets[first + e]))
			return false;
	return true;
}

/* The same where it ends. What is asked again on the way is so if all else is. */
static bool is_content_at(struct content *content, uint32_t value, struct flow_cell cell, uint32_t block)
{
	enum { PARTS = 3, MAX_SEEN = 3 * 512 };
	const struct flow_shape *shape = content->keep->shape;
	const struct whole *whole = shape->joining->program->whole;
	const struct whole_block *row = &whole->block[shape->first_block + block];
	for (uint32_t i = 0; i < content->seen.count; i += PARTS)
		if (content->seen.items[i] == block && content->seen.items[i + 1] == value &&
		    content->seen.items[i + 2] == (uint32_t)cell.offset)
			return true;
	if (content->seen.count > MAX_SEEN)
		return false;
	flow_ids_add(&content->seen, block);
	flow_ids_add(&content->seen, value);
	flow_ids_add(&content->seen, (uint32_t)cell.offset);
	for (uint32_t i = row->first_instruction + row->instruction_count; i-- > row->first_instruction;) {
		const struct whole_instruction *at = &whole->instruction[i];
		bool is_cell = (at->op == WHOLE_STORE || at->op == WHOLE_LOAD) && at->size_bytes == POINTER_BYTES &&
			       are_equal(flow_cell_of(shape->joining->program, shape->joining->single,
						      whole_operand(whole, at, 0), 0),
					 cell);
		if (is_cell && at->op == WHOLE_STORE)
			return is_same_value(whole, whole_operand(whole, at, 1), value);
		if (is_cell && is_same_value(whole, at->result, value))
			return true;
		if ((at->result != WHOLE_NONE && at->result == cell.base) || writes(content->keep, i))
			return false;
	}
	return is_content_before(content, value, cell, block);
}

static bool is_content(struct content *content, uint32_t value, struct flow_cell cell, uint32_t block)
{
	content->seen.count = 0;
	return is_content_at(content, value, cell, block);
}

/* Whether the loop begins with the vector's begin and ends with its end, and leaves the vector as it is. */
static bool goes_over_all(struct content *content, const struct walk *walk)
{
	const struct flow_shape *shape = content->keep->shape;
	const struct whole *whole = shape->joining->program->whole;
	uint32_t header = walk->counted.header, load = load_of(whole, walk->end);
	for (uint32_t b = 0; b < shape->count; b++) {
		const struct whole_block *row = &whole->block[shape->first_block + b];
		for (uint32_t i = 0; flow_is_in_loop(shape, b, header) && i < row->instruction_count; i++)
			if (writes(content->keep, row->first_instruction + i))
				return false;
	}
	/* Loaded anew in each round. */
	const struct whole_instruction *end = load == WHOLE_NONE ? NULL : &whole->instruction[load];
	bool is_reloaded = end && end->function == shape->function &&
			   flow_is_in_loop(shape, end->block - shape->first_block, header) &&
			   are_equal(flow_cell_of(shape->joining->program, shape->joining->single,
						  whole_operand(whole, end, 0), 0),
				     walk->end_cell);
	for (uint32_t e = content->before.first[header]; e < content->before.first[header + 1]; e++) {
		uint32_t from = content->before.targets[e];
		if (flow_is_in_loop(shape, from, header))
			continue;
		if (!is_content(content, walk->begin, walk->begin_cell, from) ||
		    (!is_reloaded && !is_content(content, walk->end, walk->end_cell, from)))
			return false;
	}
	return true;
}

/* The edges around the loop, where the vector has no elements. */
static void find_around(struct content *content, const struct walk *walk, struct flow_ids *edges)
{
	const struct flow_shape *shape = content->keep->shape;
	const struct whole *whole = shape->joining->program->whole;
	for (uint32_t b = shape->dominator[walk->counted.header]; b != GRAPH_NONE; b = shape->dominator[b]) {
		const struct whole_block *row = &whole->block[shape->first_block + b];
		if (row->compare.relation != WHOLE_EQUAL || row->successor_count != 2)
			continue;
		uint32_t left = row->compare.left, right = row->compare.right;
		if ((!is_content(content, left, walk->begin_cell, b) ||
		     !is_content(content, right, walk->end_cell, b)) &&
		    (!is_content(content, right, walk->begin_cell, b) || !is_content(content, left, walk->end_cell, b)))
			continue;
		flow_ids_add(edges, b);
		flow_ids_add(edges, row->compare.if_true);
	}
}

static void find_vector(struct flow_joining *joining, const struct flow_shape *shape, uint32_t header)
{
	const struct flow_program *program = joining->program;
	struct walk walk;
	struct flow_empty empty = { .function = shape->function, .call = WHOLE_NONE, .is_vector = true };
	int64_t distance;
	if (!find_walk(shape, header, &walk) || !flow_owned_place(program, walk.header, &empty) ||
	    !whole_is_vector(program->whole, &program->whole->object[empty.object], empty.offset) ||
	    !flow_is_left_by_counting(shape, &walk.counted) || !empties_each(shape, &walk, &distance))
		return;
	struct keep keep = { .shape = shape, .header = { empty.object, empty.offset } };
	keep.is_writer = mem_alloc((size_t)program->whole->function_count + 1);
	find_writers(&keep);
	struct content content = { .keep = &keep };
	graph_reverse(shape->graph, &content.before);
	empty.stride = (uint64_t)walk.counted.step;
	empty.handle_offset = (uint64_t)distance;
	if (goes_over_all(&content, &walk)) {
		flow_ids_add(&empty.edges, walk.counted.exit_block);
		flow_ids_add(&empty.edges, walk.counted.exit_successor);
		find_around(&content, &walk, &empty.edges);
		flow_loop_blocks(shape, header, &empty.rounds);
		flow_owned_add(joining, &empty);
	}
	flow_ids_release(&empty.edges);
	flow_ids_release(&empty.rounds);
	flow_ids_release(&content.seen);
	graph_release(&content.before);
	free(keep.is_writer);
}

void flow_walks_find(struct flow_joining *joining)
{
	for (uint32_t f = 0; f < joining->program->whole->function_count; f++) {
		if (!joining->threads->is_reached[f])
			continue;
		struct flow_shape shape;
		flow_shape_init(&shape, joining, f);
		for (uint32_t b = 0; b < shape.count; b++)
			if (shape.loop_of[b] == b)
				find_vector(joining, &shape, b);
		flow_shape_release(&shape);
	}
}
