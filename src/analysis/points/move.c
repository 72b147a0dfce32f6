/*
 * move.c: copies of ranges of memory. What is copied goes through a buffer of the copy's own, which has an entry for each
 * distance from its start that something was found at: all sources go to all destinations anyway, and so the work is the
 * sum of both, not the product. Elements of arrays stand for several distances. Nothing is made at the destinations before
 * there is something to copy: most copies carry no pointers at all. Where there are too many distances, they are given up.
 */
#include "analysis/points/move.h"

#include <stdlib.h>

#include "analysis/points/number.h"
#include "analysis/points/solver.h"

enum { MAX_PLACES = 32, MAX_SLOT_BYTES = 256, MAX_ENTRIES = 64, POINTER_BYTES = 8 };

uint32_t move_new(struct move_table *moves, uint64_t size_bytes)
{
	moves->rows = table_grow(moves->rows, moves->count, &moves->room, sizeof *moves->rows);
	moves->rows[moves->count] = (struct move){ .size_bytes = size_bytes, .first_entry = NONE, .mixed = NONE };
	return moves->count++;
}

void move_table_release(struct move_table *moves)
{
	for (uint32_t i = 0; i < moves->count; i++) {
		set_release(&moves->rows[i].sources);
		set_release(&moves->rows[i].destinations);
	}
	free(moves->rows);
	free(moves->entries);
	free(moves->watches);
	index_release(&moves->index);
}

static void link_anywhere(struct solver *solver, uint32_t node, uint32_t object)
{
	struct cell cell = cell_anywhere_row(solver, object);
	if (cell.in != NONE)
		node_add_edge(&solver->nodes, node, cell.in);
}

static void link_at(struct solver *solver, uint32_t node, uint32_t cell, int64_t distance)
{
	struct cells cells;
	cell_add(solver, cell, distance, 0, &cells);
	for (uint32_t i = 0; i < cells.count; i++) {
		uint32_t in = solver->cells.rows[cell_find(&solver->cells, cells.items[i])].in;
		if (in != NONE)
			node_add_edge(&solver->nodes, node, in);
	}
}

/* Whether count places that are stride apart, from there on, are elements of one array of the object. */
static bool is_in_array(const struct whole *whole, struct cell_table *cells, const struct cell *cell,
			const struct move_entry *entry)
{
	struct level levels[MAX_LEVELS];
	int64_t from = cell->offset + entry->distance;
	unsigned count = cell_levels(whole, cells, cell->object, from, levels);
	for (unsigned i = 0; i < count; i++)
		if (entry->stride % levels[i].element_bytes == 0 &&
		    (levels[i].end - from) / entry->stride >= entry->count - 1)
			return true;
	return false;
}

/* Whether a copy of unknown size that begins there stays in the buffer of a std::string, which is one cell. */
static bool is_in_buffer(const struct whole *whole, struct cell_table *cells, const struct cell *cell, uint64_t size,
			 struct level *buffer)
{
	struct level levels[MAX_LEVELS];
	unsigned count = size ? 0 : cell_levels(whole, cells, cell->object, cell->offset, levels);
	if (!count || !levels[count - 1].is_buffer)
		return false;
	*buffer = levels[count - 1];
	return true;
}

static void copy_in(struct solver *solver, uint32_t move, uint32_t entry_index, uint32_t to)
{
	struct move_entry entry = solver->moves.entries[entry_index];
	uint64_t size = solver->moves.rows[move].size_bytes;
	to = cell_find(&solver->cells, to);
	struct cell cell = solver->cells.rows[to];
	if (cell.offset == CELL_ANYWHERE || !cell.object) {
		link_anywhere(solver, entry.node, cell.object);
		return;
	}
	if (solver->whole->object[cell.object].kind == WHOLE_CODE)
		return;
	struct level buffer;
	if (is_in_buffer(solver->whole, &solver->cells, &cell, size, &buffer)) {
		link_at(solver, entry.node, to, 0);
		return;
	}
	if (entry.distance == CELL_ANYWHERE) {
		if (!size || size > MAX_SLOT_BYTES)
			link_anywhere(solver, entry.node, cell.object);
		else
			for (uint64_t at = 0; at + POINTER_BYTES <= size; at += POINTER_BYTES)
				link_at(solver, entry.node, to, (int64_t)at);
		return;
	}
	if (!entry.stride || is_in_array(solver->whole, &solver->cells, &cell, &entry)) {
		link_at(solver, entry.node, to, entry.distance);
		return;
	}
	uint64_t object_bytes = solver->whole->object[cell.object].size_bytes;
	int64_t last = entry.count;
	if (object_bytes && last > (int64_t)object_bytes / entry.stride + 1)
		last = (int64_t)object_bytes / entry.stride + 1;
	if (last > MAX_PLACES) {
		link_anywhere(solver, entry.node, cell.object);
		return;
	}
	for (int64_t i = 0; i < last; i++)
		link_at(solver, entry.node, to, entry.distance + i * entry.stride);
}

void move_live(struct solver *solver, uint32_t move, uint32_t entry)
{
	if (solver->moves.entries[entry].is_live)
		return;
	solver->moves.entries[entry].is_live = true;
	if (solver->moves.rows[move].mixed != NONE)
		return;
	for (uint32_t i = 0; i < solver->moves.rows[move].destinations.count; i++)
		copy_in(solver, move, entry, solver->moves.rows[move].destinations.items[i]);
}

static void mix_out(struct solver *solver, uint32_t move, uint32_t cell)
{
	uint32_t out = cell_anywhere_row(solver, solver->cells.rows[cell].object).out;
	if (out != NONE)
		node_add_edge(&solver->nodes, out, solver->moves.rows[move].mixed);
}

/* Distances are given up: what is anywhere in a source goes anywhere in the destinations. */
static void mix(struct solver *solver, uint32_t move)
{
	solver->moves.rows[move].mixed = node_new(&solver->nodes);
	for (uint32_t i = 0; i < solver->moves.rows[move].sources.count; i++)
		mix_out(solver, move, solver->moves.rows[move].sources.items[i]);
	for (uint32_t i = 0; i < solver->moves.rows[move].destinations.count; i++)
		link_anywhere(solver, solver->moves.rows[move].mixed,
			      solver->cells.rows[solver->moves.rows[move].destinations.items[i]].object);
}

/* Something is at this distance of the source, or at `count` of them. */
static void copy_out(struct solver *solver, uint32_t move, struct move_entry entry, uint32_t from_node)
{
	uint64_t size = solver->moves.rows[move].size_bytes;
	if (entry.distance != CELL_ANYWHERE) {
		if (entry.distance < 0 || (size && entry.distance + POINTER_BYTES > (int64_t)size))
			return;
		if (entry.stride && size && entry.count > ((int64_t)size - entry.distance) / entry.stride + 1)
			entry.count = ((int64_t)size - entry.distance) / entry.stride + 1;
		if (entry.stride && entry.count == 1)
			entry.stride = 0;
		if (!entry.stride)
			entry.count = 1;
	}
	struct index_key key = {
		.kind = INDEX_MOVE, .a = move, .b = entry.distance, .c = entry.stride, .d = entry.count
	};
	uint32_t index = index_find(&solver->moves.index, &key);
	if (index == NONE && solver->moves.rows[move].entry_count == MAX_ENTRIES) {
		mix(solver, move);
		return;
	}
	if (index == NONE) {
		index = solver->moves.entry_count;
		solver->moves.rows[move].entry_count++;
		*index_slot(&solver->moves.index, &key) = index;
		entry.node = node_new(&solver->nodes);
		entry.next = solver->moves.rows[move].first_entry;
		solver->moves.entries = table_grow(solver->moves.entries, index, &solver->moves.entry_room,
						   sizeof *solver->moves.entries);
		solver->moves.entries[solver->moves.entry_count++] = entry;
		solver->moves.rows[move].first_entry = index;
		node_add_constraint(solver, entry.node, (struct constraint){ CONSTRAINT_ENTRY, move, index, 0 });
	}
	node_add_edge(&solver->nodes, from_node, solver->moves.entries[index].node);
}

static int64_t common(int64_t a, int64_t b)
{
	return (int64_t)greatest_divisor((uint64_t)a, (uint64_t)b);
}

/* Where the cell `at` of an object can be in a copy that begins at `from` of it. */
static void see(struct solver *solver, uint32_t move, int64_t from, uint32_t at)
{
	struct cell cell = solver->cells.rows[at];
	struct level levels[MAX_LEVELS], own[MAX_LEVELS];
	if (cell.out == NONE || solver->moves.rows[move].mixed != NONE)
		return;
	if (from == CELL_ANYWHERE || cell.offset == CELL_ANYWHERE || !cell.object) {
		uint32_t node = from == CELL_ANYWHERE || !cell.object ? cell.out : cell.in;
		if (node != NONE)
			copy_out(solver, move, (struct move_entry){ .distance = CELL_ANYWHERE }, node);
		return;
	}
	uint64_t size = solver->moves.rows[move].size_bytes;
	struct level buffer;
	if (is_in_buffer(solver->whole, &solver->cells, &(struct cell){ .object = cell.object, .offset = from }, size,
			 &buffer) &&
	    (cell.offset < buffer.start || cell.offset >= buffer.end))
		return;
	unsigned own_count = cell_levels(solver->whole, &solver->cells, cell.object, from, own);
	unsigned count = cell_levels(solver->whole, &solver->cells, cell.object, cell.offset, levels);
	const struct level *inner = own_count ? &own[own_count - 1] : NULL;
	for (unsigned i = 0; i < own_count; i++)
		from = own[i].start + (from - own[i].start) % own[i].element_bytes;
	/* How many of the arrays around the cell are also around the start. */
	unsigned shared = 0;
	while (shared < own_count && shared < count && own[shared].start == levels[shared].start)
		shared++;
	struct move_entry entry = { .distance = cell.offset - from, .count = 1 };
	bool is_crossing = inner && (!size || from - inner->start + (int64_t)size > inner->element_bytes);
	for (unsigned i = shared; i < count; i++) {
		entry.stride = common(levels[i].element_bytes, entry.stride);
		if (i == shared)
			entry.count = levels[i].end == INT64_MAX ? INT64_MAX / 2 : levels[i].end - cell.offset;
	}
	if (is_crossing) {
		int64_t extent =
			inner->end == INT64_MAX ? INT64_MAX / 2 : inner->end - inner->start + llabs(entry.distance);
		entry.stride = common(inner->element_bytes, entry.stride);
		entry.count = extent + (entry.count > 1 ? entry.count : 0);
		entry.distance = modulo(entry.distance, entry.stride);
		if (entry.count < 0)
			entry.count = INT64_MAX / 2;
	}
	if (entry.stride)
		entry.count = (entry.count + entry.stride - 1) / entry.stride;
	copy_out(solver, move, entry, cell.out);
}

void move_add_source(struct solver *solver, uint32_t move, uint32_t cell)
{
	struct cell from = solver->cells.rows[cell];
	if (solver->whole->object[from.object].kind == WHOLE_CODE || !set_add(&solver->moves.rows[move].sources, cell))
		return;
	if (solver->moves.rows[move].mixed != NONE) {
		mix_out(solver, move, cell);
		return;
	}
	if (from.offset == CELL_ANYWHERE || !from.object) {
		see(solver, move, CELL_ANYWHERE, cell);
		return;
	}
	uint32_t index = solver->moves.watch_count;
	solver->moves.watches =
		table_grow(solver->moves.watches, index, &solver->moves.watch_room, sizeof *solver->moves.watches);
	solver->moves.watch_count++;
	struct target *target = cell_target(&solver->cells, from.object);
	solver->moves.watches[index] =
		(struct watch){ .move = move, .next = target->first_watch, .offset = from.offset };
	target->first_watch = index;
	for (uint32_t i = target->first_cell, next; i != NONE; i = next) {
		next = solver->cells.rows[i].next;
		see(solver, move, from.offset, i);
	}
}

void move_see_cell(struct solver *solver, uint32_t cell)
{
	uint32_t object = solver->cells.rows[cell].object;
	for (uint32_t i = cell_target(&solver->cells, object)->first_watch; i != NONE;
	     i = solver->moves.watches[i].next)
		see(solver, solver->moves.watches[i].move, solver->moves.watches[i].offset, cell);
}

void move_add_destination(struct solver *solver, uint32_t move, uint32_t cell)
{
	if (!set_add(&solver->moves.rows[move].destinations, cell))
		return;
	if (solver->moves.rows[move].mixed != NONE) {
		link_anywhere(solver, solver->moves.rows[move].mixed, solver->cells.rows[cell].object);
		return;
	}
	for (uint32_t i = solver->moves.rows[move].first_entry; i != NONE; i = solver->moves.entries[i].next)
		if (solver->moves.entries[i].is_live)
			copy_in(solver, move, i, cell);
}
