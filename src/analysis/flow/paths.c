/*
 * paths.c: where a pointer comes from, as an expression that can be compared: a parameter, a value, an object; a
 * distance from there; what is stored there; an element by an index. Two pointers with the same node and distance are equal, as
 * long as the values in it were not made anew in between (flow_is_made_in).
 *
 * What was loaded from memory is an expression, rather than a value of its own, only where the location does not change while
 * other threads are alive: whatever writes it runs when its thread is the only one. A name with such a load is then good
 * from one start of a thread to the next; at a start it is given up (flow_locks_drop_loads).
 * Input: struct flow_paths_input. Result: struct flow_paths.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/alive.h"
#include "analysis/flow/paths.h"
#include "analysis/flow/program.h"
#include "analysis/flow/single.h"
#include "analysis/flow/threads.h"
#include "base/mem.h"

enum { MAX_STEPS = 64, MAX_POINTEES = 64, POINTER_BYTES = 8 };

uint32_t flow_make_node(struct flow_paths *paths, struct node node)
{
	return flow_interned_add(&paths->nodes, &node, sizeof node / sizeof(uint32_t));
}

struct node flow_node(const struct flow_paths *paths, uint32_t node)
{
	struct node row;
	memcpy(&row, flow_interned_row(&paths->nodes, node, NULL), sizeof row);
	return row;
}

static struct path make_path(struct flow_paths *paths, enum node_kind kind, uint32_t index, int64_t offset)
{
	return (struct path){ flow_make_node(paths, (struct node){ .kind = kind, .index = index }), offset };
}

/* ---- which memory keeps its value ---- */

static void spoil(struct flow_paths *paths, uint32_t pointer, bool is_word)
{
	const struct flow_program *program = paths->in.program;
	if (pointer == WHOLE_NONE)
		return;
	struct points_set set = points_of_value(program->points, pointer);
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(program->points, set.items[i]);
		if (is_word && at.offset != POINTS_ANYWHERE)
			paths->is_unstable[set.items[i]] = true;
		else
			paths->is_object_unstable[at.object] = true;
	}
}

/* What a function that is not defined stores, by its model. */
static void spoil_by_model(struct flow_paths *paths, uint32_t call, const struct model *model)
{
	for (size_t s = 0; s < sizeof model->steps / sizeof *model->steps; s++)
		if (model->steps[s].flow != MODEL_END && model->steps[s].flow != MODEL_COPY &&
		    model->steps[s].flow != MODEL_LOAD && model->steps[s].flow != MODEL_ALLOCATE)
			spoil(paths, flow_argument(paths->in.program, call, model->steps[s].to), false);
}

static void spoil_range(struct flow_paths *paths, uint32_t first, uint32_t last)
{
	const struct flow_program *program = paths->in.program;
	const struct whole *whole = program->whole;
	for (uint32_t i = first; i < last; i++) {
		const struct whole_instruction *row = &whole->instruction[i];
		if (row->op == WHOLE_STORE || row->op == WHOLE_UPDATE)
			spoil(paths, whole_operand(whole, row, 0), row->size_bytes <= POINTER_BYTES);
		else if (row->op == WHOLE_MOVE || row->op == WHOLE_FILL)
			spoil(paths, whole_operand(whole, row, 0), false);
		if (row->op != WHOLE_CALL)
			continue;
		struct points_set callees = points_callees(program->points, i);
		for (uint32_t c = 0; c < callees.count; c++)
			if (program->models[callees.items[c]])
				spoil_by_model(paths, i, program->models[callees.items[c]]);
	}
}

struct spoiling {
	struct flow_paths *paths;
	const struct flow_alive *alive;
	uint32_t next; /* instruction */
};

static void spoil_before(void *context, uint32_t call, const uint64_t *set)
{
	struct spoiling *s = context;
	if (call == WHOLE_NONE)
		return;
	uint32_t end = s->paths->in.program->calls[call].instruction + 1;
	if (!flow_bits_are_empty(set, s->alive->in.threads->words))
		spoil_range(s->paths, s->next, end);
	s->next = end;
}

/* Marks what the function writes while threads are alive that the root started. */
static void spoil_function(const struct flow_alive *alive, struct flow_paths *paths, uint32_t function,
			   const uint64_t *entry, uint64_t *set)
{
	const struct flow_program *program = alive->in.program;
	const struct whole_function *row = &program->whole->function[function];
	for (uint32_t b = 0; b < row->block_count; b++) {
		const struct whole_block *block = &program->whole->block[row->first_block + b];
		struct spoiling s = { .paths = paths, .alive = alive, .next = block->first_instruction };
		if (!flow_alive_at(alive, function, b, entry, set))
			continue;
		bool is_whole = flow_alive_block(alive, function, b, set, spoil_before, &s);
		if (is_whole && !flow_bits_are_empty(set, alive->in.threads->words))
			spoil_range(paths, s.next, block->first_instruction + block->instruction_count);
	}
}

static void find_unstable(const struct flow_alive *alive, struct flow_paths *paths)
{
	const struct flow_threads *threads = alive->in.threads;
	const struct whole *whole = alive->in.program->whole;
	uint64_t *set = mem_alloc(threads->words * sizeof *set);
	for (uint32_t f = 0; f < whole->function_count; f++) {
		const struct whole_function *row = &whole->function[f];
		bool is_spoiled = false;
		for (uint32_t r = 0; r < threads->root_count && !is_spoiled; r++) {
			const uint64_t *entry = alive->at_entry[(size_t)r * whole->function_count + f];
			if (!entry)
				continue;
			is_spoiled =
				!flow_bits_are_empty(flow_row(threads, alive->concurrent_roots, r), threads->words);
			if (is_spoiled ||
			    (!alive->is_thread_relevant[f] && !flow_bits_are_empty(entry, threads->words))) {
				is_spoiled = true;
				spoil_range(paths, row->first_instruction,
					    row->first_instruction + row->instruction_count);
			} else if (alive->is_thread_relevant[f]) {
				spoil_function(alive, paths, f, entry, set);
			}
		}
	}
	free(set);
}

static bool is_stable(const struct flow_paths *paths, uint32_t pointer)
{
	const struct flow_program *program = paths->in.program;
	struct points_set set = points_of_value(program->points, pointer);
	if (!set.count || set.count > MAX_POINTEES)
		return false;
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(program->points, set.items[i]);
		if (at.offset == POINTS_ANYWHERE || paths->is_unstable[set.items[i]] ||
		    paths->is_object_unstable[at.object] || program->is_outside[at.object])
			return false;
	}
	return true;
}

/* ---- paths ---- */

static struct path path_of_result(struct flow_paths *paths, uint32_t value, unsigned depth);

static struct path find_path(struct flow_paths *paths, uint32_t value, unsigned depth)
{
	const struct flow_program *program = paths->in.program;
	const struct whole_value *row = &program->whole->value[value];
	uint32_t object;
	uint64_t at;
	if (paths->value_node[value])
		return (struct path){ paths->value_node[value] - 1, paths->value_offset[value] };
	struct path path;
	if (row->kind == WHOLE_ADDRESS)
		path = make_path(paths, NODE_OBJECT, row->index, row->offset);
	else if (flow_exact(program, paths->in.single, value, &object, &at))
		path = make_path(paths, NODE_OBJECT, object, (int64_t)at);
	else if (row->kind == WHOLE_PARAMETER)
		path = make_path(paths, NODE_PARAMETER, row->index, 0);
	else if (row->kind == WHOLE_RESULT && depth < MAX_STEPS)
		path = path_of_result(paths, value, depth);
	else
		path = make_path(paths, NODE_VALUE, value, 0);
	paths->value_node[value] = path.node + 1;
	paths->value_offset[value] = path.offset;
	return path;
}

/* An element: the index must be something of which it is known where it is made. */
static struct path path_of_element(struct flow_paths *paths, const struct whole_instruction *row, uint32_t value,
				   unsigned depth)
{
	const struct flow_program *program = paths->in.program;
	uint32_t index = whole_operand(program->whole, row, 1);
	if (index == WHOLE_NONE || program->whole->value[index].kind == WHOLE_OPAQUE)
		return make_path(paths, NODE_VALUE, value, 0);
	struct path by = find_path(paths, index, depth + 1);
	struct node by_node = flow_node(paths, by.node);
	if (by_node.kind == NODE_VALUE && program->whole->value[by_node.index].kind == WHOLE_OPAQUE)
		return make_path(paths, NODE_VALUE, value, 0);
	struct path below = find_path(paths, whole_operand(program->whole, row, 0), depth + 1);
	struct node node = { .kind = NODE_INDEX, .index = below.node, .stride = row->stride, .by = by.node };
	return (struct path){ flow_make_node(paths, node),
			      below.offset + row->offset + by.offset * (int64_t)row->stride };
}

static struct path path_of_result(struct flow_paths *paths, uint32_t value, unsigned depth)
{
	const struct flow_program *program = paths->in.program;
	const struct whole_instruction *row = &program->whole->instruction[program->whole->value[value].index];
	if (row->op == WHOLE_COPY && row->operand_count == 1)
		return find_path(paths, whole_operand(program->whole, row, 0), depth + 1);
	if (row->op == WHOLE_OFFSET && row->stride)
		return path_of_element(paths, row, value, depth);
	if (row->op == WHOLE_OFFSET) {
		struct path below = find_path(paths, whole_operand(program->whole, row, 0), depth + 1);
		below.offset += row->offset;
		return below;
	}
	if (row->op == WHOLE_LOAD && row->size_bytes == POINTER_BYTES &&
	    is_stable(paths, whole_operand(program->whole, row, 0))) {
		struct path below = find_path(paths, whole_operand(program->whole, row, 0), depth + 1);
		struct node node = { .kind = NODE_LOAD, .index = below.node, .offset = below.offset };
		return (struct path){ flow_make_node(paths, node), 0 };
	}
	return make_path(paths, NODE_VALUE, value, 0);
}

struct path flow_path(struct flow_paths *paths, uint32_t value)
{
	return find_path(paths, value, 0);
}

void flow_paths_init(const struct flow_paths_input *in, struct flow_paths *paths)
{
	const struct flow_program *program = in->program;
	paths->in = *in;
	paths->value_node = mem_alloc(((size_t)program->whole->value_count + 1) * sizeof *paths->value_node);
	paths->value_offset = mem_alloc(((size_t)program->whole->value_count + 1) * sizeof *paths->value_offset);
	paths->is_unstable = mem_alloc((size_t)points_location_count(program->points) + 1);
	paths->is_object_unstable = mem_alloc((size_t)program->whole->object_count + 1);
	find_unstable(in->alive, paths);
}

void flow_paths_release(struct flow_paths *paths)
{
	free(paths->value_node);
	free(paths->value_offset);
	free(paths->is_unstable);
	free(paths->is_object_unstable);
	flow_interned_release(&paths->nodes);
}

/* ---- what is in a node ---- */

bool flow_is_global(const struct flow_paths *paths, uint32_t node)
{
	const struct flow_program *program = paths->in.program;
	for (;;) {
		struct node row = flow_node(paths, node);
		switch ((enum node_kind)row.kind) {
		case NODE_OBJECT:
			return true;
		case NODE_VALUE:
			return program->whole->value[row.index].function == WHOLE_NONE &&
			       program->whole->value[row.index].kind == WHOLE_NUMBER;
		case NODE_INDEX:
			if (!flow_is_global(paths, row.by))
				return false;
			node = row.index;
			break;
		case NODE_LOAD:
			node = row.index;
			break;
		case NODE_PARAMETER:
		case NODE_RETURN:
			return false;
		}
	}
}

bool flow_has_load(const struct flow_paths *paths, uint32_t node)
{
	struct node row = flow_node(paths, node);
	return row.kind == NODE_LOAD ||
	       (row.kind == NODE_INDEX && (flow_has_load(paths, row.index) || flow_has_load(paths, row.by)));
}

bool flow_is_made_in(const struct flow_paths *paths, uint32_t node, uint32_t block)
{
	const struct flow_program *program = paths->in.program;
	for (;;) {
		struct node row = flow_node(paths, node);
		if (row.kind == NODE_VALUE) {
			const struct whole_value *value = &program->whole->value[row.index];
			return value->kind == WHOLE_RESULT && program->whole->instruction[value->index].block == block;
		}
		if (row.kind == NODE_INDEX && flow_is_made_in(paths, row.by, block))
			return true;
		if (row.kind != NODE_INDEX && row.kind != NODE_LOAD)
			return false;
		node = row.index;
	}
}

struct path flow_rewrite(struct flow_paths *paths, uint32_t node, const struct bindings *bindings)
{
	struct path none = { NODE_NONE, 0 };
	for (uint32_t i = 0; i < bindings->count; i++)
		if (bindings->items[i].node == node)
			return bindings->items[i].path;
	struct node row = flow_node(paths, node);
	if (row.kind == NODE_OBJECT || (row.kind == NODE_PARAMETER && bindings->keeps_parameters) ||
	    (row.kind == NODE_VALUE && flow_is_global(paths, node)))
		return (struct path){ node, 0 };
	if (row.kind != NODE_LOAD && row.kind != NODE_INDEX)
		return none;
	struct path below = flow_rewrite(paths, row.index, bindings);
	if (below.node == NODE_NONE)
		return none;
	row.index = below.node;
	if (row.kind == NODE_LOAD) {
		row.offset += below.offset;
		return (struct path){ flow_make_node(paths, row), 0 };
	}
	struct path by = flow_rewrite(paths, row.by, bindings);
	if (by.node == NODE_NONE)
		return none;
	row.by = by.node;
	return (struct path){ flow_make_node(paths, row), below.offset + by.offset * (int64_t)row.stride };
}
