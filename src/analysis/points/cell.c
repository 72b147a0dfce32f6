/*
 * cell.c: cells and address arithmetic. Arrays are folded, so that a cell in one stands for the same bytes of every
 * element. An object without a layout (a block of the heap) that is walked through with a distance of 8 bytes or more becomes an
 * array from where the walk begins: a *region*, whose cells are merged. Walks with less distance, and those that do not fit the
 * arrays of an object, lead anywhere in it.
 *
 * Constants without pointers in them, strings above all, have no cells: the analysis does not need them.
 *
 * A pointer may be outside of its object for a while (&a[-1], to which an index is added later); such cells exist, but have no
 * contents. A pointer further outside than FAR_BEFORE and FAR_BEHIND is assumed not to come back.
 */
#include "analysis/points/cell.h"

#include <stdlib.h>

#include "analysis/points/number.h"
#include "analysis/points/solver.h"
#include "base/mem.h"

enum {
	FAR_BEFORE = 512,
	FAR_BEHIND = 64,
	REGION_LEAST = 8,
	REGION_BYTES = 4096,
	MAX_STEPS = 32,
	FEW_CELLS = 64,
	MANY_CELLS = 1024
};

void cell_table_release(struct cell_table *cells)
{
	free(cells->rows);
	free(cells->targets);
	free(cells->sums);
	index_release(&cells->index);
}

struct target *cell_target(struct cell_table *cells, uint32_t object)
{
	if (object >= cells->target_room) {
		uint32_t room = cells->target_room;
		cells->target_room = object < 512 ? 1024 : object * 2;
		cells->targets = mem_resize(cells->targets, cells->target_room * sizeof *cells->targets);
		for (; room < cells->target_room; room++)
			cells->targets[room] =
				(struct target){ .first_cell = NONE, .anywhere = NONE, .first_watch = NONE };
	}
	return &cells->targets[object];
}

/* ---- arrays ---- */

unsigned cell_levels(const struct whole *whole, struct cell_table *cells, uint32_t object, int64_t offset,
		     struct level *levels)
{
	const struct whole_object *row = &whole->object[object];
	const struct target *target = cell_target(cells, object);
	int64_t size = row->size_bytes ? (int64_t)row->size_bytes : INT64_MAX;
	if (target->step && offset >= target->region_start) {
		levels[0] = (struct level){ target->region_start, size, (int64_t)target->step, false };
		return 1;
	}
	unsigned count = 0;
	int64_t base = 0;
	uint32_t layout = row->layout;
	while (layout != NONE && count < MAX_LEVELS) {
		const struct whole_layout *rows = &whole->layout[layout];
		const struct whole_array *found = NULL;
		int64_t end = 0;
		for (uint32_t i = 0; i < rows->array_count && !found; i++) {
			const struct whole_array *array = &whole->array[rows->first_array + i];
			bool goes_on = !count && i + 1 == rows->array_count && array->end >= rows->size_bytes;
			end = goes_on ? size : base + (int64_t)array->end;
			if (array->element_bytes && offset >= base + (int64_t)array->start && offset < end)
				found = array;
		}
		if (!found)
			break;
		struct level level = { base + (int64_t)found->start, end, (int64_t)found->element_bytes,
				       found->is_buffer };
		levels[count++] = level;
		offset = level.start + (offset - level.start) % level.element_bytes;
		base = level.start;
		layout = found->element;
	}
	return count;
}

static bool is_inside(const struct whole_object *object, int64_t offset)
{
	return offset >= 0 && (!object->size_bytes || offset < (int64_t)object->size_bytes);
}

/* The offset inside of the object that stands for this one. */
static int64_t fold(const struct whole *whole, struct cell_table *cells, uint32_t object, int64_t offset)
{
	const struct target *target = cell_target(cells, object);
	if (target->step)
		return offset < target->region_start
			       ? offset
			       : target->region_start + (offset - target->region_start) % (int64_t)target->step;
	uint64_t folded;
	whole_fold(whole, &whole->object[object], (uint64_t)offset, &folded, NULL);
	return (int64_t)folded;
}

/* ---- cells ---- */

static void link_to_anywhere(struct node_table *nodes, const struct cell *cell, const struct cell *anywhere)
{
	if (anywhere->in != NONE && cell->in != NONE)
		node_add_edge(nodes, anywhere->in, cell->in);
	if (cell->out != NONE)
		node_add_edge(nodes, cell->out, anywhere->out);
}

static uint32_t new_cell(struct solver *solver, uint32_t object, int64_t offset)
{
	const struct whole_object *row = &solver->whole->object[object];
	uint32_t index = solver->cells.count;
	solver->cells.rows = table_grow(solver->cells.rows, index, &solver->cells.room, sizeof *solver->cells.rows);
	solver->cells.count++;
	bool is_constant = row->is_constant && !row->is_undefined;
	struct cell cell = { .object = object, .parent = index, .offset = offset, .in = NONE, .out = NONE };
	if (offset == CELL_ANYWHERE) {
		cell.out = node_new(&solver->nodes);
		cell.in = is_constant ? NONE : node_new(&solver->nodes);
	} else if (row->kind == WHOLE_CODE) {
	} else if (!object) {
		cell.in = cell.out = solver->outside.node;
	} else if (is_inside(row, offset)) {
		cell.out = cell_target(&solver->cells, object)->is_shared
				   ? solver->cells.rows[cell_target(&solver->cells, object)->anywhere].out
				   : node_new(&solver->nodes);
		cell.in = is_constant ? NONE : cell.out;
	}
	struct target *target = cell_target(&solver->cells, object);
	cell.next = target->first_cell;
	target->first_cell = index;
	target->cell_count += is_inside(row, offset);
	solver->cells.rows[index] = cell;
	*index_slot(&solver->cells.index, &(struct index_key){ .kind = INDEX_CELL, .a = object, .b = offset }) = index;
	if (offset == CELL_ANYWHERE) {
		target->anywhere = index;
		if (cell.in != NONE) {
			node_add_edge(&solver->nodes, cell.in, cell.out);
			node_add_constraint(solver, cell.in, (struct constraint){ CONSTRAINT_SHARE, object, 0, 0 });
		}
		for (uint32_t i = cell.next; i != NONE; i = solver->cells.rows[i].next)
			link_to_anywhere(&solver->nodes, &solver->cells.rows[i], &cell);
	} else if (target->anywhere != NONE) {
		link_to_anywhere(&solver->nodes, &cell, &solver->cells.rows[target->anywhere]);
	}
	if (cell.out != NONE)
		move_see_cell(solver, index);
	return index;
}

void cell_share(struct cell_table *cells, struct node_table *nodes, uint32_t object)
{
	struct target *target = cell_target(cells, object);
	if (target->is_shared)
		return;
	target->is_shared = true;
	/* The nodes become one when cycles are collapsed. */
	struct cell anywhere = cells->rows[target->anywhere];
	node_add_edge(nodes, anywhere.out, anywhere.in);
	for (uint32_t i = target->first_cell; i != NONE; i = cells->rows[i].next)
		if (cells->rows[i].in != NONE)
			node_add_edge(nodes, anywhere.out, cells->rows[i].in);
}

static uint32_t cell_exactly(struct solver *solver, uint32_t object, int64_t offset)
{
	uint32_t cell =
		index_find(&solver->cells.index, &(struct index_key){ .kind = INDEX_CELL, .a = object, .b = offset });
	return cell != NONE ? cell_find(&solver->cells, cell) : new_cell(solver, object, offset);
}

uint32_t cell_anywhere(struct solver *solver, uint32_t object)
{
	if (!object || solver->whole->object[object].kind == WHOLE_CODE)
		return cell_exactly(solver, object, 0);
	return cell_exactly(solver, object, CELL_ANYWHERE);
}

struct cell cell_anywhere_row(struct solver *solver, uint32_t object)
{
	uint32_t cell = cell_anywhere(solver, object);
	return solver->cells.rows[cell];
}

/* A constant without pointers in it: nothing is ever stored there, and nothing comes from there. */
static bool is_dull(const struct whole_object *object)
{
	return object->is_constant && !object->initial_count && !object->is_undefined && object->kind != WHOLE_CODE &&
	       object->kind != WHOLE_OUTSIDE;
}

/* Where nothing else bounds the offsets that a pointer can be moved by, step by step, this does. */
static bool is_full(const struct whole *whole, struct cell_table *cells, uint32_t object)
{
	uint64_t limit = whole->object[object].size_bytes / 4;
	limit = limit < FEW_CELLS ? FEW_CELLS : limit > MANY_CELLS ? MANY_CELLS : limit;
	return cell_target(cells, object)->cell_count >= limit;
}

uint32_t cell_at(struct solver *solver, uint32_t object, int64_t offset)
{
	const struct whole_object *row = &solver->whole->object[object];
	if (!object)
		return cell_exactly(solver, 0, 0);
	if (row->kind == WHOLE_CODE)
		return offset ? NONE : cell_exactly(solver, object, 0);
	if (is_dull(row))
		return NONE;
	if (offset == CELL_ANYWHERE)
		return cell_anywhere(solver, object);
	if (is_inside(row, offset)) {
		offset = fold(solver->whole, &solver->cells, object, offset);
		uint32_t known = index_find(&solver->cells.index,
					    &(struct index_key){ .kind = INDEX_CELL, .a = object, .b = offset });
		if (known == NONE && is_full(solver->whole, &solver->cells, object))
			return cell_anywhere(solver, object);
		return cell_exactly(solver, object, offset);
	}
	if (offset < -FAR_BEFORE || offset > (int64_t)row->size_bytes + FAR_BEHIND)
		return NONE;
	return cell_exactly(solver, object, offset);
}

/* ---- regions ---- */

/* From start on, what is a multiple of step apart becomes one cell. The old cells lead to new ones: what a set gets from now on
 * is new to it, and is seen as part of an array. */
static void set_region(struct solver *solver, uint32_t object, int64_t start, uint64_t step)
{
	struct target *target = cell_target(&solver->cells, object);
	uint32_t *merged = mem_alloc((target->cell_count + 2) * sizeof *merged), count = 0, kept = NONE;
	target->region_start = start;
	target->step = step;
	for (uint32_t i = target->first_cell, next; i != NONE; i = next) {
		struct cell *cell = &solver->cells.rows[i];
		next = cell->next;
		if (cell->offset < start || cell->out == NONE) {
			cell->next = kept;
			kept = i;
			continue;
		}
		merged[count++] = i;
		*index_slot(&solver->cells.index,
			    &(struct index_key){ .kind = INDEX_CELL, .a = object, .b = cell->offset }) = NONE;
	}
	target->first_cell = kept;
	target->cell_count -= count;
	for (uint32_t i = 0; i < count; i++) {
		struct cell cell = solver->cells.rows[merged[i]];
		uint32_t into = cell_exactly(solver, object, fold(solver->whole, &solver->cells, object, cell.offset));
		solver->cells.rows[merged[i]].parent = into;
		/* They become one node when cycles are collapsed. */
		node_add_edge(&solver->nodes, cell.out, solver->cells.rows[into].out);
		if (solver->cells.rows[into].in != NONE)
			node_add_edge(&solver->nodes, solver->cells.rows[into].in, cell.out);
	}
	free(merged);
}

/* ---- arithmetic ---- */

static void emit(struct solver *solver, uint32_t object, int64_t offset, struct cells *out)
{
	uint32_t cell = cell_at(solver, object, offset);
	if (cell == NONE || out->is_anywhere)
		return;
	for (uint32_t i = 0; i < out->count; i++)
		if (out->items[i] == cell)
			return;
	if (out->count == MAX_CELLS) {
		out->is_anywhere = true;
		return;
	}
	out->items[out->count++] = cell;
}

static void emit_anywhere(struct cells *out)
{
	out->is_anywhere = true;
}

/* A distance from a place that may be in any element of arrays. Inside of the element it is simple. Beyond it: other elements of
 * the array, and what is around the array (the structure that the array is in, found by subtracting). */
static void add_distance(struct solver *solver, uint32_t object, int64_t from, int64_t distance, struct cells *out)
{
	struct level levels[MAX_LEVELS];
	unsigned count = cell_levels(solver->whole, &solver->cells, object, from, levels);
	bool is_wrapped = false;
	int64_t to = from + distance;
	if (count && to >= levels[count - 1].start && to - levels[count - 1].start < levels[count - 1].element_bytes)
		count = 0;
	for (unsigned i = count; i-- > 0;) {
		const struct level *level = &levels[i];
		if (llabs(distance) >= level->end - level->start)
			continue;
		emit(solver, object, level->start + modulo(to - level->start, level->element_bytes), out);
		is_wrapped = true;
		if (to >= level->start && to - level->start < level->element_bytes)
			return;
	}
	if (!is_wrapped || is_inside(&solver->whole->object[object], to))
		emit(solver, object, to, out);
	/* Back from an element that is not the first to what is before the array. */
	for (unsigned i = 0; i < count; i++) {
		const struct level *level = &levels[i];
		int64_t last = level->end == INT64_MAX ? 1 : (level->end - level->start) / level->element_bytes;
		for (int64_t element = 1; element < last && element <= MAX_STEPS; element++) {
			int64_t back = to + element * level->element_bytes;
			if (distance >= 0 || back >= level->start)
				break;
			if (back >= 0)
				emit(solver, object, back, out);
		}
	}
}

/* Multiples of the stride in an object without an array there. */
static void add_steps(struct solver *solver, uint32_t object, int64_t from, uint64_t stride, struct cells *out)
{
	const struct whole_object *row = &solver->whole->object[object];
	struct target *target = cell_target(&solver->cells, object);
	int64_t step = (int64_t)stride;
	int64_t first = modulo(from, step);
	if (row->size_bytes && row->size_bytes / stride <= MAX_STEPS) {
		emit(solver, object, from, out);
		for (int64_t to = first; to < (int64_t)row->size_bytes; to += step)
			emit(solver, object, to, out);
		return;
	}
	bool has_arrays = row->layout != NONE && solver->whole->layout[row->layout].array_count;
	bool is_array =
		!has_arrays && row->kind != WHOLE_CODE && stride >= REGION_LEAST &&
		(!row->size_bytes || (!from && row->size_bytes % stride == 0 && row->size_bytes >= REGION_BYTES));
	if (from < 0)
		from = first;
	int64_t start = target->step && target->region_start < from ? target->region_start : from;
	uint64_t common = target->step ? greatest_divisor(target->step, stride) : stride;
	if (!is_array || common < REGION_LEAST) {
		emit_anywhere(out);
		return;
	}
	if (!target->step || start != target->region_start || common != target->step)
		set_region(solver, object, start, common);
	emit(solver, object, from, out);
}

static void add_stride(struct solver *solver, uint32_t object, int64_t from, uint64_t stride, struct cells *out)
{
	const struct whole_object *row = &solver->whole->object[object];
	struct level levels[MAX_LEVELS];
	unsigned count = is_inside(row, from) ? cell_levels(solver->whole, &solver->cells, object, from, levels) : 0;
	for (unsigned i = count; i-- > 0;)
		if (stride % (uint64_t)levels[i].element_bytes == 0) {
			emit(solver, object, from, out);
			return;
		}
	if (!count || cell_target(&solver->cells, object)->step) {
		add_steps(solver, object, from, stride, out);
		return;
	}
	const struct level *level = &levels[count - 1];
	int64_t common = (int64_t)greatest_divisor((uint64_t)level->element_bytes, stride);
	if (level->element_bytes / common > MAX_STEPS / 2) {
		emit_anywhere(out);
		return;
	}
	for (int64_t to = modulo(from - level->start, common); to < level->element_bytes; to += common)
		emit(solver, object, level->start + to, out);
}

static void add(struct solver *solver, uint32_t cell, int64_t offset, uint64_t stride, struct cells *out)
{
	struct cell from = solver->cells.rows[cell];
	out->count = 0;
	out->is_anywhere = false;
	if (!from.object || from.offset == CELL_ANYWHERE || (!offset && !stride)) {
		out->items[out->count++] = cell;
		return;
	}
	if (solver->whole->object[from.object].kind == WHOLE_CODE)
		return;
	if (stride > INT64_MAX / 4 || offset > INT64_MAX / 4 || offset < INT64_MIN / 4)
		emit_anywhere(out);
	else if (!stride)
		add_distance(solver, from.object, from.offset, offset, out);
	if (stride && !out->is_anywhere) {
		struct cells starts = { .count = 0 };
		add_distance(solver, from.object, from.offset, offset, &starts);
		out->is_anywhere = starts.is_anywhere;
		for (uint32_t i = 0; i < starts.count && !out->is_anywhere; i++) {
			struct cell start = solver->cells.rows[cell_find(&solver->cells, starts.items[i])];
			if (start.offset == CELL_ANYWHERE)
				out->is_anywhere = true;
			else
				add_stride(solver, start.object, start.offset, stride, out);
		}
	}
	if (out->is_anywhere) {
		out->items[0] = cell_anywhere(solver, from.object);
		out->count = 1;
	}
}

/* Sums are asked for again and again; they are kept. */
void cell_add(struct solver *solver, uint32_t cell, int64_t offset, uint64_t stride, struct cells *out)
{
	if ((!offset && !stride) || solver->cells.rows[cell].offset == CELL_ANYWHERE) {
		out->items[0] = cell;
		out->count = 1;
		return;
	}
	struct index_key key = { .kind = INDEX_SUM, .a = cell, .b = offset, .c = (int64_t)stride };
	uint32_t known = index_find(&solver->cells.index, &key);
	if (known != NONE) {
		out->count = solver->cells.sums[known];
		for (uint32_t i = 0; i < out->count; i++)
			out->items[i] = solver->cells.sums[known + 1 + i];
		return;
	}
	add(solver, cell, offset, stride, out);
	for (uint32_t i = 0; i <= out->count; i++) {
		solver->cells.sums = table_grow(solver->cells.sums, solver->cells.sum_count + i,
						&solver->cells.sum_room, sizeof *solver->cells.sums);
		solver->cells.sums[solver->cells.sum_count + i] = i ? out->items[i - 1] : out->count;
	}
	*index_slot(&solver->cells.index, &key) = solver->cells.sum_count;
	solver->cells.sum_count += out->count + 1;
}
