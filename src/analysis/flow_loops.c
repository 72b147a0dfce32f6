/*
 * flow_loops.c: threads that one loop starts and another waits for. Both count the same way, over the same array of handles:
 *
 *     for (i = 0; i < n; i++) pthread_create(&t[i], ...);        for (i = 0; i < n; i++) pthread_join(t[i], ...);
 *
 * If the second waits in every iteration and is left by counting only (or by ending the program), all threads of the first are over
 * behind it. Also when the first was left early: those it did not start are waited for in vain, not the other way round.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow_priv.h"
#include "base/mem.h"

/* A function's loops, while they are looked at. */
struct shape {
	const struct flow *flow;
	uint32_t function, first_block, count;
	const struct graph *graph;
	uint32_t *loop_of, *outer, *dominator;
};

static void shape_init(struct shape *shape, const struct flow *flow, uint32_t function)
{
	uint32_t count = flow->bodies[function].graph.node_count;
	*shape = (struct shape){ .flow = flow, .function = function, .count = count };
	shape->first_block = flow->whole->function[function].first_block;
	shape->graph = &flow->bodies[function].graph;
	shape->loop_of = mem_alloc(count * sizeof(uint32_t));
	shape->outer = mem_alloc(count * sizeof(uint32_t));
	shape->dominator = mem_alloc(count * sizeof(uint32_t));
	graph_loops(shape->graph, 0, shape->loop_of, shape->outer, NULL);
	graph_dominators(shape->graph, 0, shape->dominator);
}

static void shape_release(struct shape *shape)
{
	free(shape->loop_of);
	free(shape->outer);
	free(shape->dominator);
}

static bool is_in_loop(const struct shape *shape, uint32_t block, uint32_t header)
{
	uint32_t loop = shape->loop_of[block];
	while (loop != GRAPH_NONE && loop != header)
		loop = shape->outer[loop];
	return loop == header;
}

static uint32_t only_latch(const struct shape *shape, uint32_t header)
{
	uint32_t latch = GRAPH_NONE;
	for (uint32_t b = 0; b < shape->count; b++)
		for (uint32_t i = shape->graph->first[b]; i < shape->graph->first[b + 1]; i++)
			if (shape->graph->targets[i] == header && is_in_loop(shape, b, header)) {
				if (latch != GRAPH_NONE && latch != b)
					return GRAPH_NONE;
				latch = b;
			}
	return latch;
}

/* The value that a phi of the header begins with, if every iteration adds one; or WHOLE_NONE. */
static uint32_t start_of(const struct shape *shape, uint32_t counter, uint32_t header)
{
	const struct whole *whole = shape->flow->whole;
	const struct whole_value *value = &whole->value[counter];
	if (value->kind != WHOLE_RESULT)
		return WHOLE_NONE;
	const struct whole_instruction *phi = &whole->instruction[value->index];
	if (phi->op != WHOLE_COPY || phi->operand_count != 2 || phi->function != shape->function ||
	    phi->block != shape->first_block + header)
		return WHOLE_NONE;
	for (uint32_t i = 0; i < 2; i++) {
		int64_t step;
		if (whole_base(whole, whole_operand(whole, phi, i), &step) == counter && step == 1)
			return whole_operand(whole, phi, 1 - i);
	}
	return WHOLE_NONE;
}

/* Looks whether the block leaves the loop by comparing a counter. */
static bool count_at(const struct shape *shape, uint32_t header, uint32_t block, bool is_first,
		     struct flow_counted *counted)
{
	const struct whole *whole = shape->flow->whole;
	const struct whole_block *row = &whole->block[shape->first_block + block];
	if (row->compare.relation == WHOLE_NO_RELATION || row->successor_count != 2)
		return false;
	uint32_t exit = 2;
	for (uint32_t s = 0; s < 2; s++)
		if (!is_in_loop(shape, whole->successors[row->first_successor + s] - shape->first_block, header))
			exit = exit == 2 ? s : 3;
	if (exit > 1)
		return false;
	bool is_less = row->compare.relation == WHOLE_LESS;
	/* It goes on while less, or is left when equal. */
	if ((row->compare.if_true == exit) == is_less)
		return false;
	for (uint32_t side = 0; side < (is_less ? 1u : 2u); side++) {
		int64_t added, bound_added;
		uint32_t counter = whole_base(whole, side ? row->compare.right : row->compare.left, &added);
		uint32_t bound = whole_base(whole, side ? row->compare.left : row->compare.right, &bound_added);
		uint32_t start = start_of(shape, counter, header);
		if (start == WHOLE_NONE || added - bound_added != (is_first ? 0 : 1))
			continue;
		*counted = (struct flow_counted){ .header = header,
						  .counter = counter,
						  .start = start,
						  .bound = bound,
						  .is_tested_first = is_first,
						  .is_less = is_less,
						  .exit_block = block,
						  .exit_successor = exit };
		return true;
	}
	return false;
}

static bool count_loop(const struct shape *shape, uint32_t header, struct flow_counted *counted)
{
	uint32_t latch = only_latch(shape, header);
	return latch != GRAPH_NONE && ((header != latch && count_at(shape, header, header, true, counted)) ||
				       count_at(shape, header, latch, false, counted));
}

/* The array that a pointer into one steps through with the loop's counter: where it begins; false: it does not. */
static bool array_of(const struct shape *shape, uint32_t pointer, int64_t added, const struct flow_counted *counted,
		     struct flow_cell *cell, uint64_t *stride)
{
	const struct whole *whole = shape->flow->whole;
	int64_t behind, index_added;
	const struct whole_value *step = &whole->value[whole_base(whole, pointer, &behind)];
	if (step->kind != WHOLE_RESULT)
		return false;
	const struct whole_instruction *row = &whole->instruction[step->index];
	uint32_t index = row->op == WHOLE_OFFSET && row->stride ? whole_operand(whole, row, 1) : WHOLE_NONE;
	if (index == WHOLE_NONE || whole_base(whole, index, &index_added) != counted->counter || index_added)
		return false;
	*stride = row->stride;
	*cell = flow_cell_of(shape->flow, whole_operand(whole, row, 0), behind + row->offset + added);
	return true;
}

/* Whether the function may go on from the block and return: ways that end the program do not count. */
static bool can_return(const struct shape *shape, uint32_t from)
{
	const struct flow *flow = shape->flow;
	bool *is_seen = mem_alloc(shape->count), can = false;
	struct flow_ids todo = { 0 };
	flow_ids_add(&todo, from);
	is_seen[from] = true;
	while (todo.count && !can) {
		uint32_t block = todo.items[--todo.count];
		const struct flow_body *body = &flow->bodies[shape->function];
		const struct whole_block *row = &flow->whole->block[shape->first_block + block];
		bool is_last = false;
		for (uint32_t c = body->first_call[block]; c < body->first_call[block + 1]; c++)
			is_last |= flow->calls[c].is_last && flow->calls[c].model->sync == MODEL_NO_RETURN;
		if (is_last)
			continue;
		for (uint32_t i = 0; i < row->instruction_count; i++)
			can |= flow->whole->instruction[row->first_instruction + i].op == WHOLE_RETURN;
		for (uint32_t e = shape->graph->first[block]; e < shape->graph->first[block + 1]; e++)
			if (!is_seen[shape->graph->targets[e]]) {
				is_seen[shape->graph->targets[e]] = true;
				flow_ids_add(&todo, shape->graph->targets[e]);
			}
	}
	flow_ids_release(&todo);
	free(is_seen);
	return can;
}

static bool is_left_by_counting(const struct shape *shape, const struct flow_counted *counted)
{
	for (uint32_t b = 0; b < shape->count; b++) {
		if (!is_in_loop(shape, b, counted->header))
			continue;
		const struct whole_block *row = &shape->flow->whole->block[shape->first_block + b];
		for (uint32_t s = 0; s < row->successor_count; s++) {
			uint32_t to = shape->flow->whole->successors[row->first_successor + s] - shape->first_block;
			bool is_counted = b == counted->exit_block && s == counted->exit_successor;
			if (!is_counted && !is_in_loop(shape, to, counted->header) && can_return(shape, to))
				return false;
		}
	}
	return true;
}

/* A bound that is loaded twice is the same if nothing writes it once the block was reached. */
static bool are_same_bounds(const struct shape *shape, uint32_t a, uint32_t b, uint32_t block)
{
	const struct whole *whole = shape->flow->whole;
	if (a == b)
		return true;
	const struct whole_value *x = &whole->value[a], *y = &whole->value[b];
	if (x->kind != WHOLE_RESULT || y->kind != WHOLE_RESULT)
		return false;
	const struct whole_instruction *p = &whole->instruction[x->index], *q = &whole->instruction[y->index];
	if (p->op != WHOLE_LOAD || q->op != WHOLE_LOAD || p->size_bytes != q->size_bytes)
		return false;
	struct flow_cell from = flow_cell_of(shape->flow, whole_operand(whole, p, 0), 0),
			 to = flow_cell_of(shape->flow, whole_operand(whole, q, 0), 0);
	return from.object != WHOLE_NONE && from.object == to.object && from.offset == to.offset &&
	       flow_is_written_before(shape->flow, whole_operand(whole, p, 0), shape->function, block);
}

/*
 * A loop that tests behind its body is entered through a test of its own, somewhere before: start < bound, or bound not less
 * than start + 1, or bound not equal to start. Finds the edge that goes around the loop.
 */
static bool find_guard(const struct shape *shape, const struct flow_counted *counted, uint32_t *block,
		       uint32_t *successor)
{
	const struct whole *whole = shape->flow->whole;
	const struct whole_value *start = &whole->value[counted->start];
	for (uint32_t b = shape->dominator[counted->header]; b != GRAPH_NONE; b = shape->dominator[b]) {
		const struct whole_block *row = &whole->block[shape->first_block + b];
		const struct whole_compare *compare = &row->compare;
		if (compare->relation == WHOLE_NO_RELATION || row->successor_count != 2)
			continue;
		int64_t left_added, right_added;
		uint32_t left = whole_base(whole, compare->left, &left_added),
			 right = whole_base(whole, compare->right, &right_added);
		const struct whole_value *right_row = &whole->value[compare->right];
		uint32_t around = 2;
		if (compare->relation == WHOLE_LESS && compare->left == counted->start && !right_added &&
		    are_same_bounds(shape, right, counted->bound, b))
			around = 1 - compare->if_true;
		else if (!left_added && right_row->kind == WHOLE_NUMBER && start->kind == WHOLE_NUMBER &&
			 right_row->offset == start->offset + (compare->relation == WHOLE_LESS) &&
			 are_same_bounds(shape, left, counted->bound, b))
			around = compare->if_true;
		if (around == 2)
			continue;
		*block = b;
		*successor = around;
		return true;
	}
	return false;
}

static bool runs_with_numbers(const struct shape *shape, const struct flow_counted *counted)
{
	const struct whole_value *start = &shape->flow->whole->value[counted->start],
				 *bound = &shape->flow->whole->value[counted->bound];
	return start->kind == WHOLE_NUMBER && bound->kind == WHOLE_NUMBER && start->offset < bound->offset;
}

/* The loop that starts threads: the create's own, and the handles it writes. */
static bool starts(const struct shape *shape, const struct flow_create *create, struct flow_counted *counted,
		   struct flow_cell *cell, uint64_t *stride)
{
	const struct whole_instruction *row = &shape->flow->whole->instruction[create->call];
	uint32_t block = row->block - shape->first_block, header = shape->loop_of[block], guard, successor;
	if (create->kind != FLOW_THREAD || create->handle == WHOLE_NONE || header == GRAPH_NONE ||
	    !count_loop(shape, header, counted) ||
	    !array_of(shape, create->handle, create->handle_offset, counted, cell, stride))
		return false;
	if (counted->is_tested_first)
		return block != header;
	return runs_with_numbers(shape, counted) || find_guard(shape, counted, &guard, &successor);
}

/* The loop waits for what all of these started; headers are those of their loops. */
static void add_batch(struct flow *flow, const struct shape *shape, const struct flow_counted *waits,
		      const struct flow_ids *creates, const struct flow_ids *headers)
{
	struct flow_join *join = flow_add_join(flow, shape->function, WHOLE_NONE);
	flow_join_roots(flow, join, creates);
	for (uint32_t b = 0; b < shape->count; b++)
		for (uint32_t e = shape->graph->first[b]; e < shape->graph->first[b + 1]; e++) {
			uint32_t to = shape->graph->targets[e];
			if (!flow_ids_has(headers, to) || is_in_loop(shape, b, to))
				continue;
			flow_ids_add(&join->entries, b);
			flow_ids_add(&join->entries, e - shape->graph->first[b]);
		}
	flow_ids_add(&join->edges, waits->exit_block);
	flow_ids_add(&join->edges, waits->exit_successor);
	uint32_t guard, successor;
	if (!waits->is_tested_first && find_guard(shape, waits, &guard, &successor)) {
		flow_ids_add(&join->edges, guard);
		flow_ids_add(&join->edges, successor);
	}
}

static void find_batch(struct flow *flow, const struct shape *shape, const struct flow_call *call)
{
	uint32_t block = flow->whole->instruction[call->instruction].block - shape->first_block;
	uint32_t header = shape->loop_of[block], pointer = flow_join_pointer(flow, call);
	struct flow_counted waits, makes = { 0 };
	struct flow_cell array, other;
	uint64_t stride, other_stride;
	if (header == GRAPH_NONE || pointer == WHOLE_NONE || !count_loop(shape, header, &waits) ||
	    !array_of(shape, pointer, 0, &waits, &array, &stride) || !is_left_by_counting(shape, &waits) ||
	    !graph_dominates(shape->dominator, block, only_latch(shape, header)) ||
	    (waits.is_tested_first && block == header))
		return;
	struct flow_ids creates = { 0 }, headers = { 0 };
	for (uint32_t c = 0; c < flow->create_count; c++) {
		const struct flow_create *create = &flow->creates[c];
		if (flow->whole->instruction[create->call].function != shape->function ||
		    !starts(shape, create, &makes, &other, &other_stride) || makes.header == waits.header ||
		    makes.start != waits.start || !are_same_bounds(shape, makes.bound, waits.bound, makes.header) ||
		    array.object != other.object || array.base != other.base || array.offset != other.offset ||
		    stride != other_stride)
			continue;
		/* In a loop around both, what they count with is the same only if one certainly follows the other. */
		if ((shape->outer[makes.header] != GRAPH_NONE || shape->outer[waits.header] != GRAPH_NONE) &&
		    !graph_dominates(shape->dominator, makes.header, waits.header))
			continue;
		flow_ids_add(&creates, c);
		flow_ids_add(&headers, makes.header);
	}
	if (creates.count && flow_is_written_by(flow, pointer, array, &creates))
		add_batch(flow, shape, &waits, &creates, &headers);
	flow_ids_release(&creates);
	flow_ids_release(&headers);
}

void flow_loops_find(struct flow *flow)
{
	for (uint32_t c = 0; c < flow->call_count; c++) {
		const struct flow_call *call = &flow->calls[c];
		uint32_t function = flow->whole->instruction[call->instruction].function;
		if (!call->model || call->model->sync != MODEL_JOIN || !call->is_certain || !flow->is_reached[function])
			continue;
		struct shape shape;
		shape_init(&shape, flow, function);
		find_batch(flow, &shape, call);
		shape_release(&shape);
	}
}
