/*
 * loops.c: threads that one loop starts and another waits for. Both count the same way, over the same array of handles:
 *
 *     for (i = 0; i < n; i++) pthread_create(&t[i], ...);        for (i = 0; i < n; i++) pthread_join(t[i], ...);
 *
 * If the second waits in every iteration and is left by counting only (or by ending the program), all threads of the first are over
 * after it. The threads may also be started one by one, each through an element of its own. This holds even when the
 * first loop was left early: the second then waits in vain for threads that were not started, but misses none that
 * were.
 * Input: struct flow_joining. Result: joins that are added to its struct flow_joins.
 */
#include <stdlib.h>

#include "analysis/flow/joining.h"
#include "base/mem.h"

void flow_shape_init(struct flow_shape *shape, const struct flow_joining *joining, uint32_t function)
{
	const struct flow_program *program = joining->program;
	uint32_t count = program->bodies[function].graph.node_count;
	*shape = (struct flow_shape){ .joining = joining, .function = function, .count = count };
	shape->first_block = program->whole->function[function].first_block;
	shape->graph = &program->bodies[function].graph;
	shape->loop_of = mem_alloc(count * sizeof(uint32_t));
	shape->outer = mem_alloc(count * sizeof(uint32_t));
	shape->dominator = mem_alloc(count * sizeof(uint32_t));
	graph_loops(shape->graph, 0, shape->loop_of, shape->outer, NULL);
	graph_dominators(shape->graph, 0, shape->dominator);
}

void flow_shape_release(struct flow_shape *shape)
{
	free(shape->loop_of);
	free(shape->outer);
	free(shape->dominator);
}

bool flow_is_in_loop(const struct flow_shape *shape, uint32_t block, uint32_t header)
{
	uint32_t loop = shape->loop_of[block];
	while (loop != GRAPH_NONE && loop != header)
		loop = shape->outer[loop];
	return loop == header;
}

void flow_loop_blocks(const struct flow_shape *shape, uint32_t header, struct flow_ids *blocks)
{
	for (uint32_t b = 0; b < shape->count; b++)
		if (flow_is_in_loop(shape, b, header))
			flow_ids_add(blocks, b);
}

uint32_t flow_only_latch(const struct flow_shape *shape, uint32_t header)
{
	uint32_t latch = GRAPH_NONE;
	for (uint32_t b = 0; b < shape->count; b++)
		for (uint32_t i = shape->graph->first[b]; i < shape->graph->first[b + 1]; i++)
			if (shape->graph->targets[i] == header && flow_is_in_loop(shape, b, header)) {
				if (latch != GRAPH_NONE && latch != b)
					return GRAPH_NONE;
				latch = b;
			}
	return latch;
}

uint32_t flow_start_of(const struct flow_shape *shape, uint32_t counter, uint32_t header, int64_t *step)
{
	const struct whole *whole = shape->joining->program->whole;
	const struct whole_value *value = &whole->value[counter];
	if (value->kind != WHOLE_RESULT)
		return WHOLE_NONE;
	const struct whole_instruction *phi = &whole->instruction[value->index];
	if (phi->op != WHOLE_COPY || phi->operand_count != 2 || phi->function != shape->function ||
	    phi->block != shape->first_block + header)
		return WHOLE_NONE;
	for (uint32_t i = 0; i < 2; i++)
		if (whole_base(whole, whole_operand(whole, phi, i), step) == counter && *step > 0)
			return whole_operand(whole, phi, 1 - i);
	return WHOLE_NONE;
}

/* A loop of two rounds that compilers turn into one that goes on if this was the first. */
static bool count_twice(const struct flow_shape *shape, uint32_t header, uint32_t block, uint32_t exit,
			struct flow_counted *counted)
{
	const struct whole *whole = shape->joining->program->whole;
	const struct whole_compare *compare = &whole->block[shape->first_block + block].compare;
	if (compare->relation != WHOLE_EQUAL || compare->if_true == exit)
		return false;
	for (uint32_t side = 0; side < 2; side++) {
		int64_t added, step;
		uint32_t counter = whole_base(whole, side ? compare->right : compare->left, &added);
		const struct whole_value *number = &whole->value[side ? compare->left : compare->right];
		uint32_t start = flow_start_of(shape, counter, header, &step);
		if (start == WHOLE_NONE || number->kind != WHOLE_NUMBER || whole->value[start].kind != WHOLE_NUMBER ||
		    whole->value[start].offset + added != number->offset)
			continue;
		*counted = (struct flow_counted){ .header = header,
						  .counter = counter,
						  .start = start,
						  .step = step,
						  .bound = WHOLE_NONE,
						  .exit_block = block,
						  .exit_successor = exit };
		return true;
	}
	return false;
}

/* Looks whether the block leaves the loop by comparing a counter. */
static bool count_at(const struct flow_shape *shape, uint32_t header, uint32_t block, bool is_first,
		     struct flow_counted *counted)
{
	const struct whole *whole = shape->joining->program->whole;
	const struct whole_block *row = &whole->block[shape->first_block + block];
	if (row->compare.relation == WHOLE_NO_RELATION || row->successor_count != 2)
		return false;
	uint32_t exit = 2;
	for (uint32_t s = 0; s < 2; s++)
		if (!flow_is_in_loop(shape, whole->successors[row->first_successor + s] - shape->first_block, header))
			exit = exit == 2 ? s : 3;
	if (exit > 1)
		return false;
	if (!is_first && count_twice(shape, header, block, exit, counted))
		return true;
	bool is_less = row->compare.relation == WHOLE_LESS;
	/* It goes on while less, or is left when equal. */
	if ((row->compare.if_true == exit) == is_less)
		return false;
	for (uint32_t side = 0; side < (is_less ? 1u : 2u); side++) {
		int64_t added, bound_added, step;
		uint32_t counter = whole_base(whole, side ? row->compare.right : row->compare.left, &added);
		uint32_t bound = whole_base(whole, side ? row->compare.left : row->compare.right, &bound_added);
		uint32_t start = flow_start_of(shape, counter, header, &step);
		if (start == WHOLE_NONE || added - bound_added != (is_first ? 0 : step))
			continue;
		*counted = (struct flow_counted){ .header = header,
						  .counter = counter,
						  .start = start,
						  .step = step,
						  .bound = bound,
						  .is_tested_first = is_first,
						  .is_less = is_less,
						  .exit_block = block,
						  .exit_successor = exit };
		return true;
	}
	return false;
}

static bool count_loop(const struct flow_shape *shape, uint32_t header, struct flow_counted *counted)
{
	uint32_t latch = flow_only_latch(shape, header);
	return latch != GRAPH_NONE && ((header != latch && count_at(shape, header, header, true, counted)) ||
				       count_at(shape, header, latch, false, counted));
}

/* The array that a pointer into one steps through with the loop's counter: where it begins; false: it does not. */
static bool array_of(const struct flow_shape *shape, uint32_t pointer, int64_t added,
		     const struct flow_counted *counted, struct flow_cell *cell, uint64_t *stride)
{
	const struct whole *whole = shape->joining->program->whole;
	int64_t behind, index_added;
	const struct whole_value *step = &whole->value[whole_base(whole, pointer, &behind)];
	if (step->kind != WHOLE_RESULT)
		return false;
	const struct whole_instruction *row = &whole->instruction[step->index];
	uint32_t index = row->op == WHOLE_OFFSET && row->stride ? whole_operand(whole, row, 1) : WHOLE_NONE;
	if (index == WHOLE_NONE || whole_base(whole, index, &index_added) != counted->counter || index_added)
		return false;
	*stride = row->stride * (uint64_t)counted->step;
	*cell = flow_cell_of(shape->joining->program, shape->joining->single, whole_operand(whole, row, 0),
			     behind + row->offset + added);
	return true;
}

/* Whether the function may go on from the block and return: ways that end the program do not count. */
static bool can_return(const struct flow_shape *shape, uint32_t from)
{
	const struct flow_program *program = shape->joining->program;
	bool *is_seen = mem_alloc(shape->count), can = false;
	struct flow_ids todo = { 0 };
	flow_ids_add(&todo, from);
	is_seen[from] = true;
	while (todo.count && !can) {
		uint32_t block = todo.items[--todo.count];
		const struct flow_body *body = &program->bodies[shape->function];
		const struct whole_block *row = &program->whole->block[shape->first_block + block];
		bool is_last = false;
		for (uint32_t c = body->first_call[block]; c < body->first_call[block + 1]; c++)
			is_last |= program->calls[c].is_last && program->calls[c].model->sync == MODEL_NO_RETURN;
		if (is_last)
			continue;
		for (uint32_t i = 0; i < row->instruction_count; i++)
			can |= program->whole->instruction[row->first_instruction + i].op == WHOLE_RETURN;
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

bool flow_is_left_by_counting(const struct flow_shape *shape, const struct flow_counted *counted)
{
	for (uint32_t b = 0; b < shape->count; b++) {
		if (!flow_is_in_loop(shape, b, counted->header))
			continue;
		const struct whole_block *row = &shape->joining->program->whole->block[shape->first_block + b];
		for (uint32_t s = 0; s < row->successor_count; s++) {
			uint32_t to = shape->joining->program->whole->successors[row->first_successor + s] -
				      shape->first_block;
			bool is_counted = b == counted->exit_block && s == counted->exit_successor;
			if (!is_counted && !flow_is_in_loop(shape, to, counted->header) && can_return(shape, to))
				return false;
		}
	}
	return true;
}

/* The bound, if it is a number. */
static bool is_fixed(const struct flow_shape *shape, const struct flow_counted *counted, int64_t *bound)
{
	enum { TWICE = 2 };
	const struct whole *whole = shape->joining->program->whole;
	*bound = whole->value[counted->bound == WHOLE_NONE ? counted->start : counted->bound].offset;
	*bound += counted->bound == WHOLE_NONE ? TWICE * counted->step : 0;
	return counted->bound == WHOLE_NONE || whole->value[counted->bound].kind == WHOLE_NUMBER;
}

/* A bound that is loaded twice is the same if nothing writes it once the block was reached. */
static bool are_same_bounds(const struct flow_shape *shape, uint32_t a, uint32_t b, uint32_t block)
{
	const struct whole *whole = shape->joining->program->whole;
	if (a == b)
		return true;
	const struct whole_value *x = &whole->value[a], *y = &whole->value[b];
	if (x->kind != WHOLE_RESULT || y->kind != WHOLE_RESULT)
		return false;
	const struct whole_instruction *p = &whole->instruction[x->index], *q = &whole->instruction[y->index];
	if (p->op != WHOLE_LOAD || q->op != WHOLE_LOAD || p->size_bytes != q->size_bytes)
		return false;
	struct flow_cell from = flow_cell_of(shape->joining->program, shape->joining->single,
					     whole_operand(whole, p, 0), 0),
			 to = flow_cell_of(shape->joining->program, shape->joining->single, whole_operand(whole, q, 0),
					   0);
	return from.object != WHOLE_NONE && from.object == to.object && from.offset == to.offset &&
	       flow_is_written_before(shape->joining->program, shape->joining->threads, shape->joining->single,
				      whole_operand(whole, p, 0), shape->function, block);
}

/* Whether both count to the same. */
static bool have_same_bounds(const struct flow_shape *shape, const struct flow_counted *a, const struct flow_counted *b)
{
	int64_t x, y;
	bool is_a_fixed = is_fixed(shape, a, &x), is_b_fixed = is_fixed(shape, b, &y);
	if (a->step != b->step)
		return false;
	if (is_a_fixed || is_b_fixed)
		return is_a_fixed && is_b_fixed && x == y;
	return are_same_bounds(shape, a->bound, b->bound, a->header);
}

/*
 * A loop that tests after its body is entered through a test of its own, somewhere before: start < bound, or bound not
 * less than start + 1, or bound not equal to start. Finds the edge that goes around the loop.
 */
static bool find_guard(const struct flow_shape *shape, const struct flow_counted *counted, uint32_t *block,
		       uint32_t *successor)
{
	const struct whole *whole = shape->joining->program->whole;
	const struct whole_value *start = &whole->value[counted->start];
	if (counted->bound == WHOLE_NONE)
		return false;
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

static bool runs_with_numbers(const struct flow_shape *shape, const struct flow_counted *counted)
{
	const struct whole_value *start = &shape->joining->program->whole->value[counted->start];
	int64_t bound;
	return is_fixed(shape, counted, &bound) && start->kind == WHOLE_NUMBER && start->offset < bound;
}

/* The loop that starts threads: the create's own, and the handles it writes. */
static bool starts(const struct flow_shape *shape, const struct flow_create *create, struct flow_counted *counted,
		   struct flow_cell *cell, uint64_t *stride)
{
	const struct whole_instruction *row = &shape->joining->program->whole->instruction[create->call];
	uint32_t block = row->block - shape->first_block, header = shape->loop_of[block], guard, successor;
	if (create->kind != FLOW_THREAD || create->handle == WHOLE_NONE || header == GRAPH_NONE ||
	    !count_loop(shape, header, counted) ||
	    !array_of(shape, create->handle, create->handle_offset, counted, cell, stride))
		return false;
	if (counted->is_tested_first)
		return block != header;
	return runs_with_numbers(shape, counted) || find_guard(shape, counted, &guard, &successor);
}

/* The loop waits for what all of these started; headers are those of their loops, in the function of `starting`. */
static void add_batch(const struct flow_program *program, const struct flow_threads *threads, struct flow_joins *joins,
		      const struct flow_shape *shape, const struct flow_shape *starting,
		      const struct flow_counted *waits, const struct flow_ids *creates, const struct flow_ids *headers)
{
	struct flow_join *join = flow_add_join(program, joins, shape->function, WHOLE_NONE);
	flow_join_roots(threads, join, creates);
	join->entry_function = starting->function;
	for (uint32_t b = 0; b < starting->count; b++)
		for (uint32_t e = starting->graph->first[b]; e < starting->graph->first[b + 1]; e++) {
			uint32_t to = starting->graph->targets[e];
			if (!flow_ids_has(headers, to) || flow_is_in_loop(starting, b, to))
				continue;
			flow_ids_add(&join->entries, b);
			flow_ids_add(&join->entries, e - starting->graph->first[b]);
		}
	flow_ids_add(&join->edges, waits->exit_block);
	flow_ids_add(&join->edges, waits->exit_successor);
	uint32_t guard, successor;
	if (!waits->is_tested_first && find_guard(shape, waits, &guard, &successor)) {
		flow_ids_add(&join->edges, guard);
		flow_ids_add(&join->edges, successor);
	}
}

/* The element of the array that a create which is in no such loop writes its handle to. */
static bool element_of(const struct flow_shape *shape, const struct flow_create *create, uint32_t join,
		       struct flow_cell array, uint64_t stride, int64_t *element)
{
	if (create->kind != FLOW_THREAD || create->handle == WHOLE_NONE)
		return false;
	struct flow_cell cell =
		flow_cell_of(shape->joining->program, shape->joining->single, create->handle, create->handle_offset);
	if (cell.object != array.object || cell.base != array.base ||
	    (cell.base != WHOLE_NONE && !flow_is_same_value(shape->joining->program, cell.base, create, join)) ||
	    (cell.offset - array.offset) % (int64_t)stride)
		return false;
	*element = (cell.offset - array.offset) / (int64_t)stride;
	return true;
}

/* The loop waits for what is started by calls, one for each element from first to behind the last. */
static void find_calls(struct flow_joining *joining, const struct flow_shape *shape, const struct flow_counted *waits,
		       uint32_t call, struct flow_cell array, uint64_t stride, int64_t first, int64_t end)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	struct flow_joins *joins = joining->joins;
	uint32_t pointer = flow_join_pointer(program, &program->calls[flow_call_at(program, call)]);
	struct flow_ids creates = { 0 }, elements = { 0 };
	int64_t element;
	bool is_apart = true;
	for (uint32_t c = 0; c < threads->create_count && is_apart; c++) {
		if (!element_of(shape, &threads->creates[c], call, array, stride, &element))
			continue;
		is_apart = element >= first && element < end && flow_ids_add_new(&elements, (uint32_t)element);
		flow_ids_add(&creates, c);
	}
	if (is_apart && creates.count && flow_is_written_by(joining, pointer, array, &creates)) {
		add_batch(program, threads, joins, shape, shape, waits, &creates, &(struct flow_ids){ 0 });
		joins->rows[joins->count - 1].is_one_of_each = true;
	}
	flow_ids_release(&creates);
	flow_ids_release(&elements);
}

/* The loop empties each std::thread of an array, from the one at the cell on. */
static void add_range(struct flow_joining *joining, const struct flow_shape *shape, const struct flow_counted *waits,
		      struct flow_cell array, uint64_t stride, uint64_t rounds)
{
	const struct whole *whole = joining->program->whole;
	const struct whole_value *base = array.base == WHOLE_NONE ? NULL : &whole->value[array.base];
	struct flow_empty empty = { .function = shape->function, .call = WHOLE_NONE, .object = array.object };
	if (base && base->kind == WHOLE_RESULT && whole->instruction[base->index].op == WHOLE_SLOT)
		empty.object = whole->instruction[base->index].object;
	if (empty.object == WHOLE_NONE || array.offset < 0 || !joining->handles)
		return;
	empty.offset = (uint64_t)array.offset;
	empty.end = empty.offset + stride * rounds;
	empty.stride = stride;
	flow_ids_add(&empty.edges, waits->exit_block);
	flow_ids_add(&empty.edges, waits->exit_successor);
	flow_loop_blocks(shape, waits->header, &empty.rounds);
	flow_owned_add(joining, &empty);
	flow_ids_release(&empty.edges);
	flow_ids_release(&empty.rounds);
}

/* A loop that goes with a pointer from one place of an object to another: for (auto &thread : array). */
static bool count_pointers(const struct flow_shape *shape, uint32_t header, uint32_t pointer,
			   struct flow_counted *counted, uint64_t *stride, int64_t *rounds)
{
	const struct whole *whole = shape->joining->program->whole;
	int64_t distance, step, first, last, added;
	uint32_t latch = flow_only_latch(shape, header), phi = whole_base(whole, pointer, &distance);
	uint32_t start = latch == GRAPH_NONE || distance ? WHOLE_NONE : flow_start_of(shape, phi, header, &step);
	if (start == WHOLE_NONE)
		return false;
	const struct whole_block *row = &whole->block[shape->first_block + latch];
	uint32_t exit = row->compare.if_true;
	if (row->successor_count != 2 || row->compare.relation != WHOLE_EQUAL ||
	    flow_is_in_loop(shape, whole->successors[row->first_successor + exit] - shape->first_block, header))
		return false;
	uint32_t base = whole_base(whole, start, &first);
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t counter = whole_base(whole, side ? row->compare.right : row->compare.left, &added);
		uint32_t end = whole_base(whole, side ? row->compare.left : row->compare.right, &last);
		if (counter != phi || added != step || end != base || last <= first || (last - first) % step)
			continue;
		*counted = (struct flow_counted){ .header = header, .start = start, .step = step, .bound = WHOLE_NONE };
		counted->exit_block = latch;
		counted->exit_successor = exit;
		*stride = (uint64_t)step;
		*rounds = (last - first) / step;
		return true;
	}
	return false;
}

/* The join of such a loop, in every round. */
static void find_walk(struct flow_joining *joining, const struct flow_shape *shape, const struct flow_call *call)
{
	const struct flow_program *program = joining->program;
	const struct flow_single *single = joining->single;
	uint32_t block = program->whole->instruction[call->instruction].block - shape->first_block;
	uint32_t header = shape->loop_of[block], pointer = flow_join_pointer(program, call);
	struct flow_counted waits;
	uint64_t stride;
	int64_t rounds;
	if (header == GRAPH_NONE || pointer == WHOLE_NONE ||
	    !count_pointers(shape, header, pointer, &waits, &stride, &rounds) ||
	    !flow_is_left_by_counting(shape, &waits) ||
	    !graph_dominates(shape->dominator, block, flow_only_latch(shape, header)))
		return;
	find_calls(joining, shape, &waits, call->instruction, flow_cell_of(program, single, waits.start, 0), stride, 0,
		   rounds);
	add_range(joining, shape, &waits, flow_cell_of(program, single, waits.start, 0), stride, (uint64_t)rounds);
}

static bool have_same_numbers(const struct flow_shape *left, const struct flow_counted *a,
			      const struct flow_shape *right, const struct flow_counted *b)
{
	int64_t x, y;
	return is_fixed(left, a, &x) && is_fixed(right, b, &y) && x == y && a->step == b->step;
}

/* The same where another function starts them: the array is one that exists once, and the bounds are numbers. That the starts are over when
 * this one waits is checked with the sets that come out. */
static void find_distant(struct flow_joining *joining, const struct flow_shape *shape, const struct flow_counted *waits,
			 uint32_t pointer, struct flow_cell array, uint64_t stride)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	struct flow_joins *joins = joining->joins;
	struct flow_ids creates = { 0 }, headers = { 0 };
	struct flow_shape starting = { .function = WHOLE_NONE };
	bool is_one = array.object != WHOLE_NONE;
	for (uint32_t c = 0; c < threads->create_count && is_one; c++) {
		uint32_t function = program->whole->instruction[threads->creates[c].call].function;
		struct flow_counted makes;
		struct flow_cell other;
		uint64_t other_stride;
		if (function == shape->function || (starting.function != WHOLE_NONE && starting.function != function))
			continue;
		struct flow_shape its;
		flow_shape_init(&its, joining, function);
		bool is_same = starts(&its, &threads->creates[c], &makes, &other, &other_stride) &&
			       makes.start == waits->start && have_same_numbers(&its, &makes, shape, waits) &&
			       other.object == array.object && other.offset == array.offset && other_stride == stride;
		if (is_same) {
			flow_ids_add(&creates, c);
			flow_ids_add(&headers, makes.header);
		}
		if (is_same && starting.function == WHOLE_NONE)
			starting = its;
		else
			flow_shape_release(&its);
	}
	if (creates.count && flow_is_written_by(joining, pointer, array, &creates)) {
		add_batch(program, threads, joins, shape, &starting, waits, &creates, &headers);
		joins->rows[joins->count - 1].is_distant = true;
	}
	if (starting.function != WHOLE_NONE)
		flow_shape_release(&starting);
	flow_ids_release(&creates);
	flow_ids_release(&headers);
}

static void find_batch(struct flow_joining *joining, const struct flow_shape *shape, const struct flow_call *call)
{
	const struct flow_program *program = joining->program;
	const struct flow_threads *threads = joining->threads;
	uint32_t block = program->whole->instruction[call->instruction].block - shape->first_block;
	uint32_t header = shape->loop_of[block], pointer = flow_join_pointer(program, call);
	struct flow_counted waits, makes = { 0 };
	struct flow_cell array, other;
	uint64_t stride, other_stride;
	if (header == GRAPH_NONE || pointer == WHOLE_NONE || !count_loop(shape, header, &waits) ||
	    !array_of(shape, pointer, 0, &waits, &array, &stride) || !flow_is_left_by_counting(shape, &waits) ||
	    !graph_dominates(shape->dominator, block, flow_only_latch(shape, header)) ||
	    (waits.is_tested_first && block == header))
		return;
	struct flow_ids creates = { 0 }, headers = { 0 };
	for (uint32_t c = 0; c < threads->create_count; c++) {
		const struct flow_create *create = &threads->creates[c];
		if (program->whole->instruction[create->call].function != shape->function ||
		    !starts(shape, create, &makes, &other, &other_stride) || makes.header == waits.header ||
		    makes.start != waits.start || !have_same_bounds(shape, &makes, &waits) ||
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
	if (creates.count && flow_is_written_by(joining, pointer, array, &creates))
		add_batch(program, threads, joining->joins, shape, shape, &waits, &creates, &headers);
	const struct whole_value *start = &program->whole->value[waits.start];
	int64_t end;
	if (!creates.count && start->kind == WHOLE_NUMBER && is_fixed(shape, &waits, &end) &&
	    start->offset % waits.step == 0 && end % waits.step == 0)
		find_calls(joining, shape, &waits, call->instruction, array, stride, start->offset / waits.step,
			   end / waits.step);
	if (!creates.count)
		find_distant(joining, shape, &waits, pointer, array, stride);
	if (start->kind == WHOLE_NUMBER && is_fixed(shape, &waits, &end))
		add_range(joining, shape, &waits, array, stride, (uint64_t)((end - start->offset) / waits.step));
	flow_ids_release(&creates);
	flow_ids_release(&headers);
}

void flow_loops_find(struct flow_joining *joining)
{
	const struct flow_program *program = joining->program;
	for (uint32_t c = 0; c < program->call_count; c++) {
		const struct flow_call *call = &program->calls[c];
		uint32_t function = program->whole->instruction[call->instruction].function;
		if (!call->model || call->model->sync != MODEL_JOIN || !call->is_certain ||
		    !joining->threads->is_reached[function])
			continue;
		struct flow_shape shape;
		flow_shape_init(&shape, joining, function);
		find_batch(joining, &shape, call);
		find_walk(joining, &shape, call);
		flow_shape_release(&shape);
	}
}
