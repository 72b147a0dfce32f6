/*
 * wrapper.h: blocks of the heap, and the functions of the program that make them.
 */
#ifndef ANALYSIS_POINTS_WRAPPER_H
#define ANALYSIS_POINTS_WRAPPER_H

#include "analysis/points/set.h"
#include "analysis/points/table.h"

struct call_table;
struct node_table;
struct solver;

enum { WRAPPER_MAX_OFFSETS = 4 };

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
	int64_t offset; /* from it to what is returned, in bytes */
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
	int64_t offsets[WRAPPER_MAX_OFFSETS]; /* from the start to what it returns, in bytes */
	struct set calls;                     /* that were given a block of their own, or hand it on */
	struct set inner;                     /* calls in it that make what it returns */
	uint32_t first_part;
};

/* Allocators. Filled by capture.c before anything is solved; then wrapper.c writes what callers make. Read by all. */
struct wrapper_table {
	struct wrapper *rows; /* by function */
	uint32_t count;
	struct wrapper_part *parts;
	uint32_t part_count, part_room;
};

/* Finds all wrappers and gives each its node. */
void wrapper_table_init(struct wrapper_table *wrappers, struct node_table *nodes, const struct whole *whole);
void wrapper_table_release(struct wrapper_table *wrappers);
/* ... of which this is the first half (analysis/points/capture.c): all but the nodes. */
void wrapper_find_all(struct wrapper_table *wrappers, const struct whole *whole);

/* Notes which part of a wrapper the call, a new one in the function, is, if any. */
void wrapper_note_call(const struct wrapper_table *wrappers, struct call_table *calls, uint32_t call,
		       uint32_t function);
/* The call calls a wrapper: it makes a block of its own. */
void wrapper_call(struct solver *solver, uint32_t call, uint32_t function);
/* The call calls an allocator that is not defined here, with the size from these arguments. The result's node gets the
 * address. */
void wrapper_allocate(struct solver *solver, uint32_t call, uint32_t size_argument, uint32_t count_argument,
		      int moved_argument);
/* A block that the call makes and that is none of a wrapper's; the object. */
uint32_t wrapper_make(struct call_table *calls, struct whole *whole, uint32_t call, uint64_t size_bytes);
/* The call, which may be one that makes what a wrapper returns, calls something else. */
void wrapper_fail(struct solver *solver, uint32_t call);
/* The function is called by code that is not analysed. */
void wrapper_expose(struct solver *solver, uint32_t function);

#endif
