/*
 * call.h: calls, and code that is not analysed.
 */
#ifndef ANALYSIS_POINTS_CALL_H
#define ANALYSIS_POINTS_CALL_H

#include "analysis/points/set.h"
#include "analysis/points/table.h"

struct node_table;
struct solver;

struct call {
	uint32_t instruction;
	uint32_t result;        /* node, or NONE */
	uint32_t made;          /* heap object, or NONE */
	uint32_t wrapper;       /* function in which it makes what that function returns, or NONE */
	int64_t wrapper_offset; /* bytes from the block's start to what that function returns */
	int16_t wrapper_moved;  /* see struct wrapper_part */
	bool is_unknown;        /* calls a function of which nothing is known */
	uint8_t run;            /* place of MODEL_RUN, or 0 */
	uint8_t routine_run;    /* the same of a routine that is not defined: std::call_once */
	struct set callees, callbacks, routines;
};

/* Calls in functions that are reached. Written by call.c, but `made` and what is about wrappers by wrapper.c, callbacks,
 * routines and what is run by modelled.c. Read by all. result.c completes the sets and takes them out. */
struct call_table {
	struct call *rows;
	uint32_t count, room;
	uint32_t *of_instruction; /* call, or NONE */
	uint32_t instruction_count;
};

/* Facts about functions that are computed on demand. Written by call.c; result.c reads the counts. */
struct function_table {
	uint32_t count;
	uint32_t *return_node; /* by function; NONE until needed */
	uint32_t *used;        /* by function: function_used; NONE: not asked yet */
	uint8_t *is_gap;       /* by function: reported as unknown */
	uint32_t gap_count;
};

/* Code that is not analysed. Written by call.c; read by all. result.c takes the set out. */
struct outside {
	uint32_t node;        /* what it knows */
	struct set functions; /* in that node */
};

void call_table_init(struct call_table *calls, const struct whole *whole);
void call_table_release(struct call_table *calls);
void function_table_init(struct function_table *functions, const struct whole *whole);
void function_table_release(struct function_table *functions);
void outside_init(struct outside *outside, struct node_table *nodes);
void outside_release(struct outside *outside);

/* The call at an instruction, whose result goes to a node or to NONE. */
uint32_t call_new(struct call_table *calls, uint32_t instruction, uint32_t result);
uint32_t call_argument_count(const struct whole *whole, const struct call *call);
/* The node of an argument, from 0; NODE_EMPTY when there is none. */
uint32_t call_argument_node(struct solver *solver, const struct call *call, uint32_t number);
/* The call calls the function. */
void call_resolve(struct solver *solver, uint32_t call, uint32_t function);
/* The same of a call by pointer, if it fits. */
void call_resolve_pointer(struct solver *solver, uint32_t call, uint32_t function);
/* Whether a call by pointer passes all the parameters that the function uses. One that does not cannot be meant: what the
 * function would find there is undefined. */
bool call_fits(struct function_table *functions, const struct whole *whole, const struct call *call, uint32_t function);
/* It calls a function by a pointer that came from code that is not analysed. */
void call_outside(struct solver *solver, uint32_t call);

/* How many parameters the function uses, the last one that it does included. */
uint32_t function_used(struct function_table *functions, const struct whole *whole, uint32_t function);
/* NODE_EMPTY when there is no such parameter. All variadic arguments are one, after the last. */
uint32_t function_parameter_node(struct solver *solver, uint32_t function, uint32_t number);
/* The node that gets the argument number `number` of a call; NODE_EMPTY when the function takes fewer. */
uint32_t function_argument_node(struct solver *solver, uint32_t function, uint32_t number);
uint32_t function_return_node(struct function_table *functions, struct node_table *nodes, uint32_t function);
/* Code that is not analysed has the function's address. */
void function_expose(struct solver *solver, uint32_t function);
/* Code that is not analysed has the cell's address. */
void outside_see_cell(struct solver *solver, uint32_t cell);

#endif
