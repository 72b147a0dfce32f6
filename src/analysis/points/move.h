/*
 * move.h: copies of ranges of memory.
 */
#ifndef ANALYSIS_POINTS_MOVE_H
#define ANALYSIS_POINTS_MOVE_H

#include "analysis/points/set.h"
#include "analysis/points/table.h"

struct solver;

/* A copy that reads this object, beginning at the offset. */
struct watch {
	uint32_t move, next;
	int64_t offset;
};

/* What a MOVE carries, by distance from the start: an entry stands for `count` places that are `stride` apart. */
struct move_entry {
	int64_t distance; /* or CELL_ANYWHERE */
	int64_t stride, count;
	uint32_t node, next;
	bool is_live; /* there is something in it */
};

struct move {
	uint64_t size_bytes; /* 0: not known */
	uint32_t first_entry, entry_count;
	uint32_t mixed; /* node: there were too many entries, and whatever is in the sources goes anywhere; or NONE */
	struct set sources, destinations; /* cells */
};

/* Written and read by move.c; solver.c sees which entries are live. */
struct move_table {
	struct move *rows;
	uint32_t count, room;
	struct move_entry *entries;
	uint32_t entry_count, entry_room;
	struct watch *watches;
	uint32_t watch_count, watch_room;
	struct index index; /* INDEX_MOVE */
};

void move_table_release(struct move_table *moves);

uint32_t move_new(struct move_table *moves, uint64_t size_bytes);
void move_add_source(struct solver *solver, uint32_t move, uint32_t cell);
void move_add_destination(struct solver *solver, uint32_t move, uint32_t cell);
/* Something arrived at an entry: from now on it goes to the destinations. */
void move_live(struct solver *solver, uint32_t move, uint32_t entry);
/* The object has a new cell. */
void move_see_cell(struct solver *solver, uint32_t cell);

#endif
