/*
 * points_priv.h: what the files of points-to share. The solver knows *cells* and *nodes*. A cell is an offset of an object (a
 * location, before locations are numbered for others); a node is something that holds a set of cells: a value, or the contents
 * of a cell. Edges between nodes are inclusions; what depends on the cells themselves (loads, stores, offsets, calls) is a
 * list of constraints at the node that holds the pointer, and makes edges when cells arrive.
 *
 * Invariants:
 * 1. Every edge and constraint of a node has seen all of its cells but the fresh ones; the node is queued while it has any.
 * 2. Nodes are merged, and cells get a parent, but neither is ever removed: indexes stay valid through node_find and cell_find.
 * 3. A cell somewhere (CELL_ANYWHERE) has two nodes: what is stored there goes to all cells of its object, and what is loaded
 *    there comes from all of them. As soon as a pointer is stored there, all cells of the object share their contents; they
 *    remain different cells.
 *     Assured by tests/unit/points.t.
 */
#ifndef ANALYSIS_POINTS_POINTS_PRIV_H
#define ANALYSIS_POINTS_POINTS_PRIV_H

#include "analysis/models/models.h"
#include "analysis/points/bits.h"
#include "analysis/points/points.h"
#include "analysis/points/set.h"

#define NONE WHOLE_NONE
#define CELL_ANYWHERE INT64_MIN

/* ---- analysis/points/index.c: a table from small tuples to numbers ---- */

enum index_kind { INDEX_CELL, INDEX_VALUE_LOAD, INDEX_VALUE_OFFSET, INDEX_MOVE, INDEX_STORE, INDEX_SUM };

struct index_key {
	uint32_t kind, a;
	int64_t b, c, d;
};

struct index {
	struct index_key *keys;
	uint32_t *values; /* NONE: the slot is free */
	uint32_t count, room;
};

/* The number of the key, which is added with the value NONE if it is not there yet. Valid until the next call. */
uint32_t *index_slot(struct index *index, const struct index_key *key);
uint32_t index_find(const struct index *index, const struct index_key *key);
void index_release(struct index *index);

/* ---- the parts ---- */

struct cell {
	uint32_t object, next; /* of the same object */
	uint32_t parent;       /* itself, or the cell that stands for this one since the object's region changed */
	int64_t offset;
	uint32_t in, out; /* nodes: where stores go and where loads come from; NONE outside of the object */
};

/* Somebody copies from this object, beginning at the offset. */
struct watch {
	uint32_t move, next;
	int64_t offset;
};

struct target {
	uint32_t first_cell, cell_count;
	uint32_t anywhere; /* cell, or NONE */
	uint32_t first_watch;
	uint64_t step; /* not 0: from region_start on bytes repeat with this distance */
	int64_t region_start;
	bool is_outside; /* code that is not analysed has its address */
	bool is_shared;  /* all cells have the same contents: a pointer was stored somewhere in it */
	bool is_lumped;  /* a member of the lump, or the lump itself */
};

enum constraint_kind {
	CONSTRAINT_LOAD,     /* a += contents; b: bytes */
	CONSTRAINT_STORE,    /* contents += a; b: bytes */
	CONSTRAINT_OFFSET,   /* a += item + b, + multiples of c */
	CONSTRAINT_SUM,      /* the same of a number: what is not in the object then is anywhere in it */
	CONSTRAINT_OUT,      /* copies to move a */
	CONSTRAINT_IN,       /* copies from move a */
	CONSTRAINT_ENTRY,    /* of move a: number b */
	CONSTRAINT_MIX_OUT,  /* a += all contents of the object */
	CONSTRAINT_MIX_IN,   /* any contents of the object += a */
	CONSTRAINT_INSIDE,   /* a += anywhere in the object */
	CONSTRAINT_CALLEE,   /* of call a */
	CONSTRAINT_CALLBACK, /* number a */
	CONSTRAINT_OUTSIDE,  /* known to code that is not analysed */
	CONSTRAINT_SHARE,    /* the cells of object a share what is in them */
};

struct constraint {
	uint32_t kind, a;
	int64_t b, c;
};

struct node {
	uint32_t parent;
	uint32_t order;  /* lower ones first */
	uint8_t queued;  /* 0: not, 1: in this round, 2: for the next */
	bool is_unified; /* it was merged with others because the budget was over */
	struct bits points;
	struct bits fresh; /* those of them that edges and constraints have not seen yet */
	struct set edges;
	struct constraint *constraints;
	uint32_t constraint_count, constraint_room;
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

/* A function is called by one that is not analysed: its parameter gets a value. */
enum callback_kind {
	CALLBACK_NOW,     /* before the call returns */
	CALLBACK_ROUTINE, /* in a thread, at a signal, at the end */
	CALLBACK_LATER,   /* when a RUN of the place is called */
};

struct callback {
	uint8_t kind; /* enum callback_kind */
	uint8_t place;
	uint32_t call;
	uint32_t
		parameter; /* gets node; the ones behind get the arguments of the call behind `spread`, if that is not 0 */
	uint32_t node;     /* or NONE */
	uint32_t spread;
	uint32_t result; /* node that gets what it returns, or NONE */
};

struct call {
	uint32_t instruction;
	uint32_t result;        /* node, or NONE */
	uint32_t made;          /* heap object, or NONE */
	uint32_t wrapper;       /* function in which it makes what that function returns, or NONE */
	int64_t wrapper_offset; /* which it returns so many bytes further */
	int16_t wrapper_moved;  /* see struct wrapper_part */
	bool is_unknown;        /* calls a function of which nothing is known */
	uint8_t run;            /* place of MODEL_RUN, or 0 */
	uint8_t routine_run;    /* the same of a routine that is not defined: std::call_once */
	struct set callees, callbacks, routines;
};

/* See analysis/points/adjust.c. */
struct adjust {
	uint32_t instruction;
	bool is_void; /* it may be another number */
};

/* See analysis/points/wrapper.c. */
enum { WRAPPER_MOST_OFFSETS = 4 };

/* How many bytes a call makes: count * size + added, each a parameter of the caller (from 0) or -1 for a constant. */
struct wrapper_size {
	bool is_known;
	int16_t parameter; /* -1: the size is `bytes` */
	uint64_t bytes;    /* what the parameter is multiplied with, or the size itself */
	int64_t added;
};

/* A call in a wrapper, of which the wrapper returns what it makes. */
struct wrapper_part {
	uint32_t instruction;
	int64_t offset; /* what is returned is so far behind it */
	int16_t moved;  /* parameter whose block's contents go to the new one, or -1 */
	uint32_t next;  /* of the same wrapper */
};

struct wrapper {
	bool is_wrapper;
	bool is_failed;  /* it returns something else, too: callers get what it returns as of any function */
	bool is_exposed; /* it is called by code that is not analysed: its own calls make blocks, too */
	struct wrapper_size size;
	uint32_t moved; /* parameters whose block's contents go to the new one: bits */
	uint32_t fresh; /* node: the starts of all blocks that were made through it */
	uint32_t offset_count;
	int64_t offsets[WRAPPER_MOST_OFFSETS]; /* what it returns is so far behind the start */
	struct set calls;                      /* that were given a block of their own, or hand it on */
	struct set inner;                      /* calls in it that make what it returns */
	uint32_t first_part;
};

struct points {
	struct whole *whole;
	struct points_options options;
	struct points_statistics statistics;

	struct node *nodes;
	uint32_t node_count, node_room;
	struct cell *cells;
	uint32_t cell_count, cell_room;
	struct target *targets; /* by object */
	uint32_t target_room;
	struct watch *watches;
	uint32_t watch_count, watch_room;
	struct move *moves;
	uint32_t move_count, move_room;
	struct move_entry *entries;
	uint32_t entry_count, entry_room;
	struct callback *callbacks;
	uint32_t callback_count, callback_room;
	struct call *calls;
	uint32_t call_count, call_room;
	struct index index;
	uint32_t *sums; /* results of cell_add: how many, then the cells; by INDEX_SUM */
	uint32_t sum_count, sum_room;

	uint32_t *value_node;  /* by value */
	uint32_t *return_node; /* by function; NONE until needed */
	uint32_t *call_of;     /* by instruction: call, or NONE */
	uint32_t value_count, function_count, instruction_count;
	struct wrapper *wrappers; /* by function */
	struct wrapper_part *parts;
	uint32_t part_count, part_room;
	uint32_t *captured; /* by function: parameters that it keeps, as bits */
	uint32_t *
		used; /* by function: how many parameters it uses, the last one that it does included; NONE: not asked yet */
	uint8_t *is_reached; /* by function: its constraints are made, or will be */
	uint32_t *reached;   /* functions whose constraints are to be made */
	uint32_t reached_count, reached_room;
	uint32_t *static_object;            /* by function that is not defined: MODEL_STATIC */
	uint8_t *is_gap;                    /* by function: said to be unknown */
	uint32_t places[MODEL_PLACE_COUNT]; /* nodes */
	struct set place_functions[MODEL_PLACE_COUNT];
	uint32_t outside;        /* node: what code that is not analysed knows */
	uint32_t thread_results; /* node */
	struct set exposed;      /* functions in it */

	uint32_t *queue, *next; /* a heap by order, and the nodes of the next round */
	uint32_t queue_count, queue_room, next_count, next_room;
	uint32_t now_order;
	uint64_t edge_count, edges_at_pass;
	/* Objects that stand for many, and the only cell of each; NONE: there is none. See analysis/points/lump.c. */
	uint32_t lump, lump_cell, crowd, crowd_cell;
	struct set crowd_functions, crowd_calls, crowd_callbacks; /* members; who may call any of them */
	struct crowd_level *crowd_levels;                         /* by the number of arguments of a call */
	bool is_crowd_outside;
	bool is_unifying; /* it takes too long */
	bool has_merged_cells;

	struct adjust *adjusts;
	uint32_t adjust_count, adjust_room;

	struct points_result *result;
};

/* ---- analysis/points/cell.c: cells, arrays, address arithmetic ---- */

enum { MAX_CELLS = 64 };
struct cells {
	uint32_t items[MAX_CELLS];
	uint32_t count;
	bool is_anywhere; /* there would be too many: anywhere in the object */
};

/* A cell of the object; NONE when it is too far outside. */
uint32_t cell_at(struct points *points, uint32_t object, int64_t offset);
uint32_t cell_anywhere(struct points *points, uint32_t object);
/* That cell's row as it is now. Finding a cell may make it and move them all: nobody indexes cells with the call itself. */
struct cell cell_anywhere_row(struct points *points, uint32_t object);
/* What can be `offset` bytes, and any multiple of stride, behind the cell. */
void cell_add(struct points *points, uint32_t cell, int64_t offset, uint64_t stride, struct cells *out);
/* A pointer was stored somewhere in the object. */
void cell_share(struct points *points, uint32_t object);
struct target *cell_target(struct points *points, uint32_t object);

/* An array that an offset is in, as far as the object is concerned; the innermost is the last. */
struct level {
	int64_t start, end, element_bytes;
	bool is_buffer; /* see struct whole_array */
};
enum { MAX_LEVELS = 16 };
unsigned cell_levels(struct points *points, uint32_t object, int64_t offset, struct level *levels);

static inline uint32_t cell_find(struct points *points, uint32_t cell)
{
	while (points->cells[cell].parent != cell) {
		points->cells[cell].parent = points->cells[points->cells[cell].parent].parent;
		cell = points->cells[cell].parent;
	}
	return cell;
}

/* ---- analysis/points/solver.c: nodes and propagation ---- */

uint32_t node_new(struct points *points);
void node_add_cell(struct points *points, uint32_t node, uint32_t cell); /* NONE is nothing */
void node_add_edge(struct points *points, uint32_t from, uint32_t to);
void node_add_constraint(struct points *points, uint32_t node, struct constraint constraint);
void node_queue(struct points *points, uint32_t node);
void points_propagate(struct points *points);

static inline uint32_t node_find(struct points *points, uint32_t node)
{
	struct node *nodes = points->nodes;
	while (nodes[node].parent != node) {
		nodes[node].parent = nodes[nodes[node].parent].parent;
		node = nodes[node].parent;
	}
	return node;
}

/* ---- analysis/points/cycle.c ---- */

/* Merges the nodes of each cycle of edges and orders the rest so that edges lead from lower to higher orders. */
void points_collapse(struct points *points);
void node_merge(struct points *points, uint32_t into, uint32_t from);

/* ---- analysis/points/lump.c: objects that are in very large sets ---- */

/* Between rounds: where solving takes long, such objects become members of the lump, and such functions of the crowd. */
void points_lump(struct points *points);
/* The call, or callback, may call any function of the crowd, now and later; or code outside may. */
void crowd_add_call(struct points *points, uint32_t call);
void crowd_add_callback(struct points *points, uint32_t callback);
void crowd_expose(struct points *points);
/* Adds those that it may call to the callees of each call. */
void crowd_finish(struct points *points);

/* The cell that stands for the cells of this object where there are very many, or NONE. */
static inline uint32_t lump_cell_of(const struct points *points, uint32_t object)
{
	return points->whole->object[object].kind == WHOLE_CODE ? points->crowd_cell : points->lump_cell;
}

/* ---- analysis/points/move.c: copies of ranges ---- */

uint32_t move_new(struct points *points, uint64_t size_bytes);
void move_add_source(struct points *points, uint32_t move, uint32_t cell);
void move_add_destination(struct points *points, uint32_t move, uint32_t cell);
/* Something arrived at an entry: from now on it goes to the destinations. */
void move_live(struct points *points, uint32_t move, uint32_t entry);
/* The object has a new cell. */
void move_see_cell(struct points *points, uint32_t cell);

/* ---- analysis/points/call.c: calls, models, the outside ---- */

void call_resolve(struct points *points, uint32_t call, uint32_t function);
/* Whether a call by pointer passes all the parameters that the function uses. One that does not cannot be meant: what the
 * function would find there is undefined. */
bool call_fits(struct points *points, uint32_t call, uint32_t function);
/* How many parameters the function uses, the last one that it does included. */
uint32_t function_used(struct points *points, uint32_t function);
/* It calls a function by a pointer that came from code that is not analysed. */
void call_outside(struct points *points, uint32_t call);
/* Functions that the node points to are called by MODEL_RUN of the place. */
void callback_from(struct points *points, uint32_t node, uint8_t place);
void callback_resolve(struct points *points, uint32_t callback, uint32_t function);
void outside_see_cell(struct points *points, uint32_t cell);
uint32_t function_parameter_node(struct points *points, uint32_t function, uint32_t number);
uint32_t function_return_node(struct points *points, uint32_t function);
/* Code that is not analysed has the function's address. */
void function_expose(struct points *points, uint32_t function);
/* The node that gets the argument number `number` of a call; NODE_EMPTY when the function takes no so many. */
uint32_t function_argument_node(struct points *points, uint32_t function, uint32_t number);
/* The node of an argument, from 0; NONE when there is none. */
uint32_t call_argument_node(struct points *points, const struct call *call, uint32_t number);

/* ---- analysis/points/capture.c: which functions are allocators, found before anything else ---- */

void wrapper_find_all(struct points *points);

/* ---- analysis/points/wrapper.c: blocks of the heap ---- */

/* The call calls a wrapper: it makes a block of its own. */
void wrapper_call(struct points *points, uint32_t call, uint32_t function);
/* The call calls an allocator that is not defined here: so many bytes. The result's node gets the address. */
void wrapper_allocate(struct points *points, uint32_t call, uint32_t size_argument, uint32_t count_argument,
		      int moved_argument);
/* A block that the call makes and that is none of a wrapper's; the object. */
uint32_t wrapper_make(struct points *points, uint32_t call, uint64_t size_bytes);
/* The call, which may be one that makes what a wrapper returns, calls something else. */
void wrapper_fail(struct points *points, uint32_t call);
/* The function is called by code that is not analysed. */
void wrapper_expose(struct points *points, uint32_t function);

/* ---- analysis/points/generate.c: constraints of the program ---- */

/* Makes the constraints of the functions that were reached since the last time. */
void points_generate(struct points *points);
void points_reach(struct points *points, uint32_t function);
uint32_t points_value_node(struct points *points, uint32_t value);
/* The node of something that points nowhere. */
#define NODE_EMPTY 0

/* ---- analysis/points/adjust.c: calls by pointers to members ---- */

/* Whether the instruction, an OFFSET, moves `this` by a number from memory; then it is assumed to be zero. */
bool adjust_assume(struct points *points, uint32_t instruction);
/* When all is solved: whether it turned out that some are not, so that solving must go on. */
bool adjust_check(struct points *points);
/* Those that are zero become distances of zero in the program. */
void adjust_finish(struct points *points);

/* ---- small things ---- */

/* Room for one more row in an array. */
void *points_grow(void *rows, uint32_t count, uint32_t *room, size_t row_bytes);

#endif
