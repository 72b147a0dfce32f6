/*
 * move.c: copies of ranges of memory. What is copied goes through a buffer of the copy's own, which has an entry for each
 * distance from its start that something was found at: all sources go to all destinations anyway, and so the work is the
 * sum of both, not the product. Elements of arrays stand for several distances. Nothing is made at the destinations before
 * there is something to copy: most copies carry no pointers at all. Where there are too many distances, they are given up.
 */
#include <stdlib.h>

#include "analysis/points/points_priv.h"

enum { MOST_PLACES = 32, MOST_SLOT_BYTES = 256, MOST_ENTRIES = 64, POINTER_BYTES = 8 };

uint32_t move_new(struct points *points, uint64_t size_bytes)
{
	points->moves.rows =
		points_grow(points->moves.rows, points->moves.count, &points->moves.room, sizeof *points->moves.rows);
	points->moves.rows[points->moves.count] =
		(struct move){ .size_bytes = size_bytes, .first_entry = NONE, .mixed = NONE };
	return points->moves.count++;
}

static void link_anywhere(struct points *points, uint32_t node, uint32_t object)
{
	struct cell cell = cell_anywhere_row(points, object);
	if (cell.in != NONE)
		node_add_edge(points, node, cell.in);
}

static void link_at(struct points *points, uint32_t node, uint32_t cell, int64_t distance)
{
	struct cells cells;
	cell_add(points, cell, distance, 0, &cells);
	for (uint32_t i = 0; i < cells.count; i++) {
		uint32_t in = points->cells.rows[cell_find(points, cells.items[i])].in;
		if (in != NONE)
			node_add_edge(points, node, in);
	}
}

/* Whether count places that are stride apart, from there on, are elements of one array of the object. */
static bool is_in_array(struct points *points, const struct cell *cell, const struct move_entry *entry)
{
	struct level levels[MAX_LEVELS];
	int64_t from = cell->offset + entry->distance;
	unsigned count = cell_levels(points, cell->object, from, levels);
	for (unsigned i = 0; i < count; i++)
		if (entry->stride % levels[i].element_bytes == 0 &&
		    (levels[i].end - from) / entry->stride >= entry->count - 1)
			return true;
	return false;
}

/* Whether a copy of unknown size that begins there stays in the buffer of a std::string, which is one cell. */
static bool is_in_buffer(struct points *points, const struct cell *cell, uint64_t size, struct level *buffer)
{
	struct level levels[MAX_LEVELS];
	unsigned count = size ? 0 : cell_levels(points, cell->object, cell->offset, levels);
	if (!count || !levels[count - 1].is_buffer)
		return false;
	*buffer = levels[count - 1];
	return true;
}

static void copy_in(struct points *points, uint32_t move, uint32_t entry_index, uint32_t to)
{
	struct move_entry entry = points->moves.entries[entry_index];
	uint64_t size = points->moves.rows[move].size_bytes;
	to = cell_find(points, to);
	struct cell cell = points->cells.rows[to];
	if (cell.offset == CELL_ANYWHERE || !cell.object) {
		link_anywhere(points, entry.node, cell.object);
		return;
	}
	if (points->whole->object[cell.object].kind == WHOLE_CODE)
		return;
	struct level buffer;
	if (is_in_buffer(points, &cell, size, &buffer)) {
		link_at(points, entry.node, to, 0);
		return;
	}
	if (entry.distance == CELL_ANYWHERE) {
		if (!size || size > MOST_SLOT_BYTES)
			link_anywhere(points, entry.node, cell.object);
		else
			for (uint64_t at = 0; at + POINTER_BYTES <= size; at += POINTER_BYTES)
				link_at(points, entry.node, to, (int64_t)at);
		return;
	}
	if (!entry.stride || is_in_array(points, &cell, &entry)) {
		link_at(points, entry.node, to, entry.distance);
		return;
	}
	uint64_t object_bytes = points->whole->object[cell.object].size_bytes;
	int64_t last = entry.count;
	if (object_bytes && last > (int64_t)object_bytes / entry.stride + 1)
		last = (int64_t)object_bytes / entry.stride + 1;
	if (last > MOST_PLACES) {
		link_anywhere(points, entry.node, cell.object);
		return;
	}
	for (int64_t i = 0; i < last; i++)
		link_at(points, entry.node, to, entry.distance + i * entry.stride);
}

void move_live(struct points *points, uint32_t move, uint32_t entry)
{
	if (points->moves.entries[entry].is_live)
		return;
	points->moves.entries[entry].is_live = true;
	if (points->moves.rows[move].mixed != NONE)
		return;
	for (uint32_t i = 0; i < points->moves.rows[move].destinations.count; i++)
		copy_in(points, move, entry, points->moves.rows[move].destinations.items[i]);
}

static void mix_out(struct points *points, uint32_t move, uint32_t cell)
{
	uint32_t out = cell_anywhere_row(points, points->cells.rows[cell].object).out;
	if (out != NONE)
		node_add_edge(points, out, points->moves.rows[move].mixed);
}

/* Distances are given up: what is anywhere in a source goes anywhere in the destinations. */
static void mix(struct points *points, uint32_t move)
{
	points->moves.rows[move].mixed = node_new(points);
	for (uint32_t i = 0; i < points->moves.rows[move].sources.count; i++)
		mix_out(points, move, points->moves.rows[move].sources.items[i]);
	for (uint32_t i = 0; i < points->moves.rows[move].destinations.count; i++)
		link_anywhere(points, points->moves.rows[move].mixed,
			      points->cells.rows[points->moves.rows[move].destinations.items[i]].object);
}

/* Something is at this distance of the source, or at `count` of them. */
static void copy_out(struct points *points, uint32_t move, struct move_entry entry, uint32_t from_node)
{
	uint64_t size = points->moves.rows[move].size_bytes;
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
	uint32_t index = index_find(&points->moves.index, &key);
	if (index == NONE && points->moves.rows[move].entry_count == MOST_ENTRIES) {
		mix(points, move);
		return;
	}
	if (index == NONE) {
		index = points->moves.entry_count;
		points->moves.rows[move].entry_count++;
		*index_slot(&points->moves.index, &key) = index;
		entry.node = node_new(points);
		entry.next = points->moves.rows[move].first_entry;
		points->moves.entries = points_grow(points->moves.entries, index, &points->moves.entry_room,
						    sizeof *points->moves.entries);
		points->moves.entries[points->moves.entry_count++] = entry;
		points->moves.rows[move].first_entry = index;
		node_add_constraint(points, entry.node, (struct constraint){ CONSTRAINT_ENTRY, move, index, 0 });
	}
	node_add_edge(points, from_node, points->moves.entries[index].node);
}

static int64_t modulo(int64_t a, int64_t b)
{
	int64_t rest = a % b;
	return rest < 0 ? rest + b : rest;
}

static int64_t common(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Where the cell `at` of an object can be in a copy that begins at `from` of it. */
static void see(struct points *points, uint32_t move, int64_t from, uint32_t at)
{
	struct cell cell = points->cells.rows[at];
	struct level levels[MAX_LEVELS], own[MAX_LEVELS];
	if (cell.out == NONE || points->moves.rows[move].mixed != NONE)
		return;
	if (from == CELL_ANYWHERE || cell.offset == CELL_ANYWHERE || !cell.object) {
		uint32_t node = from == CELL_ANYWHERE || !cell.object ? cell.out : cell.in;
		if (node != NONE)
			copy_out(points, move, (struct move_entry){ .distance = CELL_ANYWHERE }, node);
		return;
	}
	uint64_t size = points->moves.rows[move].size_bytes;
	struct level buffer;
	if (is_in_buffer(points, &(struct cell){ .object = cell.object, .offset = from }, size, &buffer) &&
	    (cell.offset < buffer.start || cell.offset >= buffer.end))
		return;
	unsigned own_count = cell_levels(points, cell.object, from, own);
	unsigned count = cell_levels(points, cell.object, cell.offset, levels);
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
	copy_out(points, move, entry, cell.out);
}

void move_add_source(struct points *points, uint32_t move, uint32_t cell)
{
	struct cell from = points->cells.rows[cell];
	if (points->whole->object[from.object].kind == WHOLE_CODE || !set_add(&points->moves.rows[move].sources, cell))
		return;
	if (points->moves.rows[move].mixed != NONE) {
		mix_out(points, move, cell);
		return;
	}
	if (from.offset == CELL_ANYWHERE || !from.object) {
		see(points, move, CELL_ANYWHERE, cell);
		return;
	}
	uint32_t index = points->moves.watch_count;
	points->moves.watches =
		points_grow(points->moves.watches, index, &points->moves.watch_room, sizeof *points->moves.watches);
	points->moves.watch_count++;
	struct target *target = cell_target(points, from.object);
	points->moves.watches[index] =
		(struct watch){ .move = move, .next = target->first_watch, .offset = from.offset };
	target->first_watch = index;
	for (uint32_t i = target->first_cell, next; i != NONE; i = next) {
		next = points->cells.rows[i].next;
		see(points, move, from.offset, i);
	}
}

void move_see_cell(struct points *points, uint32_t cell)
{
	uint32_t object = points->cells.rows[cell].object;
	for (uint32_t i = cell_target(points, object)->first_watch; i != NONE; i = points->moves.watches[i].next)
		see(points, points->moves.watches[i].move, points->moves.watches[i].offset, cell);
}

void move_add_destination(struct points *points, uint32_t move, uint32_t cell)
{
	if (!set_add(&points->moves.rows[move].destinations, cell))
		return;
	if (points->moves.rows[move].mixed != NONE) {
		link_anywhere(points, points->moves.rows[move].mixed, points->cells.rows[cell].object);
		return;
	}
	for (uint32_t i = points->moves.rows[move].first_entry; i != NONE; i = points->moves.entries[i].next)
		if (points->moves.entries[i].is_live)
			copy_in(points, move, i, cell);
}
