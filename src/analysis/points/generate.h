/*
 * generate.h: constraints of the program, function by function as they are reached.
 */
#ifndef ANALYSIS_POINTS_GENERATE_H
#define ANALYSIS_POINTS_GENERATE_H

#include "analysis/points/table.h"

struct solver;

/* Which node a value has. Values that are bound to have the same set share one, found by the index. Written by generate.c;
 * result.c reads it, and all others ask value_node. */
struct value_table {
	uint32_t *node; /* by value; NONE until needed */
	uint32_t count;
	struct index index; /* INDEX_VALUE_LOAD, INDEX_VALUE_OFFSET, INDEX_STORE */
};

/* Functions that may run. Written by generate.c; adjust.c reads it. */
struct reach {
	uint8_t *is_reached; /* by function: its constraints are made, or will be */
	uint32_t *functions; /* whose constraints are to be made */
	uint32_t count, room;
};

void value_table_init(struct value_table *values, const struct whole *whole);
void value_table_release(struct value_table *values);
void reach_init(struct reach *reach, const struct whole *whole);
void reach_release(struct reach *reach);

/* The function may run; nothing is done if it is not defined. */
void reach_function(struct reach *reach, const struct whole *whole, uint32_t function);
/* Makes the constraints of the functions that were reached since the last time. */
void generate_reached(struct solver *solver);
/* NODE_EMPTY for what points nowhere, and for NONE. */
uint32_t value_node(struct solver *solver, uint32_t value);

#endif
