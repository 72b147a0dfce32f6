/*
 * solver.h: the state that is solved for. The solver knows *cells* and *nodes*. A cell is an offset of an object (a
 * location, before locations are numbered for others); a node is something that holds a set of cells: a value, or the contents
 * of a cell. Edges between nodes are inclusions; what depends on the cells themselves (loads, stores, offsets, calls) is a
 * list of constraints at the node that holds the pointer, and makes edges when cells arrive.
 *
 * Solving is one fixpoint: a cell that arrives may resolve a call, which reaches a function, whose constraints make nodes and
 * cells. Functions that may trigger any of this take the whole state; all others take the parts that they need. Each part has
 * a header, which says which file writes it. Other files read it, and change it through the functions of that header.
 *
 *     before   capture.c    program -> wrappers
 *     solving  points.c     roots: main, constructors, initial values of variables
 *              generate.c   program -> nodes, constraints, calls
 *              solver.c     propagation; calls cell.c, move.c, call.c, modelled.c, wrapper.c and lump.c with new cells
 *              adjust.c     checks what was assumed; if it does not hold, solving goes on
 *     after    result.c     state -> struct points; then the state is freed
 *
 * Invariants:
 * 1. Every edge and constraint of a node has seen all of its cells but the fresh ones; the node is queued while it has any.
 * 2. Nodes are merged, and cells get a parent, but neither is ever removed: indexes stay valid through node_find and cell_find.
 * 3. A cell somewhere (CELL_ANYWHERE) has two nodes: what is stored there goes to all cells of its object, and what is loaded
 *    there comes from all of them. As soon as a pointer is stored there, all cells of the object share their contents; they
 *    remain different cells.
 *     Assured by tests/unit/points.t.
 */
#ifndef ANALYSIS_POINTS_SOLVER_H
#define ANALYSIS_POINTS_SOLVER_H

#include "analysis/points/adjust.h"
#include "analysis/points/call.h"
#include "analysis/points/cell.h"
#include "analysis/points/generate.h"
#include "analysis/points/lump.h"
#include "analysis/points/modelled.h"
#include "analysis/points/move.h"
#include "analysis/points/node.h"
#include "analysis/points/points.h"
#include "analysis/points/wrapper.h"

struct solver {
	struct whole *whole; /* objects, layouts and gaps are added */
	struct points_options options;
	struct node_table nodes;
	struct cell_table cells;
	struct move_table moves;
	struct value_table values;
	struct reach reach;
	struct call_table calls;
	struct function_table functions;
	struct outside outside;
	struct places places;
	struct wrapper_table wrappers;
	struct lump lump;
	struct crowd crowd;
	struct adjust_table adjusts;
};

/* Until no node has fresh cells, and the constraints of all functions that are reached are made. */
void solver_propagate(struct solver *solver);
void node_add_cell(struct solver *solver, uint32_t node, uint32_t cell); /* NONE is nothing */
void node_add_constraint(struct solver *solver, uint32_t node, struct constraint constraint);

#endif
