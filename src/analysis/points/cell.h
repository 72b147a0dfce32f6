/*
 * cell.h: cells, the offsets of objects that pointers may lead to; arrays; address arithmetic.
 */
#ifndef ANALYSIS_POINTS_CELL_H
#define ANALYSIS_POINTS_CELL_H

#include "analysis/points/table.h"

struct node_table;
struct solver;

#define CELL_ANYWHERE INT64_MIN

struct cell {
	uint32_t object, next; /* of the same object */
	uint32_t parent;       /* itself, or the cell that stands for this one since the object's region changed */
	int64_t offset;
	uint32_t in, out; /* nodes: where stores go and where loads come from; NONE outside of the object */
};

/* What is known of an object because pointers lead to it. */
struct target {
	uint32_t first_cell, cell_count;
	uint32_t anywhere;    /* cell, or NONE */
	uint32_t first_watch; /* copies that read it; written by move.c */
	uint64_t step;        /* not 0: from region_start on bytes repeat with this distance */
	int64_t region_start;
	bool is_outside; /* code that is not analysed has its address; written by call.c */
	bool is_shared;  /* all cells have the same contents: a pointer was stored somewhere in it */
	bool is_lumped;  /* a member of the lump, or the lump itself; written by lump.c */
};

/* Written by cell.c, but for the members of struct target that say otherwise; read by all. */
struct cell_table {
	struct cell *rows;
	uint32_t count, room;
	struct target *targets; /* by object */
	uint32_t target_room;
	uint32_t *sums; /* results of cell_add: how many, then the cells; by INDEX_SUM */
	uint32_t sum_count, sum_room;
	struct index index; /* INDEX_CELL, INDEX_SUM */
};

void cell_table_release(struct cell_table *cells);

static inline uint32_t cell_find(struct cell_table *cells, uint32_t cell)
{
	while (cells->rows[cell].parent != cell) {
		cells->rows[cell].parent = cells->rows[cells->rows[cell].parent].parent;
		cell = cells->rows[cell].parent;
	}
	return cell;
}

/* The object's row, which is made if it is not there yet. */
struct target *cell_target(struct cell_table *cells, uint32_t object);

/* A cell of the object; NONE when it is too far outside. A new one is linked to what copies from the object. */
uint32_t cell_at(struct solver *solver, uint32_t object, int64_t offset);
uint32_t cell_anywhere(struct solver *solver, uint32_t object);
/* That cell's current row. Finding a cell may create it and move all rows, so the call itself must not be used as an
 * index into cells. */
struct cell cell_anywhere_row(struct solver *solver, uint32_t object);
/* A pointer was stored somewhere in the object, which has a cell anywhere. */
void cell_share(struct cell_table *cells, struct node_table *nodes, uint32_t object);

enum { MAX_CELLS = 64 };
struct cells {
	uint32_t items[MAX_CELLS];
	uint32_t count;
	bool is_anywhere; /* there would be too many: anywhere in the object */
};

/* What can be `offset` bytes, and any multiple of stride, after the cell. */
void cell_add(struct solver *solver, uint32_t cell, int64_t offset, uint64_t stride, struct cells *out);

/* An array that an offset is in, as far as the object is concerned; the innermost is the last. */
struct level {
	int64_t start, end, element_bytes;
	bool is_buffer; /* see struct whole_array */
};
enum { MAX_LEVELS = 16 };
unsigned cell_levels(const struct whole *whole, struct cell_table *cells, uint32_t object, int64_t offset,
		     struct level *levels);

#endif
