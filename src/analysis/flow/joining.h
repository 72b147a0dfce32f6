/*
 * joining.h: what the files that look for joins share while they do: joins.c, unset.c, loops.c, handles.c, owned.c and walks.c. Nothing of it
 * is left when flow_joins_find returns, except what they added to struct flow_joins. Functions that read the program alone take
 * that; those that add joins take struct flow_joining.
 */
#ifndef ANALYSIS_FLOW_JOINING_H
#define ANALYSIS_FLOW_JOINING_H

#include "analysis/flow/joins.h"
#include "analysis/flow/program.h"
#include "analysis/flow/single.h"
#include "analysis/flow/threads.h"

/* Where a handle is: a place in an object that exists once, or a distance from a value. */
struct flow_cell {
	uint32_t object, base; /* one of them is WHOLE_NONE */
	int64_t offset;
};

/* Where the handles that a start of a std::thread makes may be. */
struct flow_handles {
	struct points_location *places;
	uint32_t place_count, place_room;
	bool *is_value; /* of each value: it may be one */
	bool is_lost;   /* or anywhere */
	/* Of each function: it moves one, and has it in a value for a moment; it has one in a value when it calls others, or over several
	 * blocks; it, what it calls or what runs in threads that they start moves one, or makes one. */
	bool *moves, *keeps, *puts;
};

/* The state of the search. */
struct flow_joining {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_single *single;
	struct flow_joins *joins;
	struct flow_ids writers;      /* instructions that write objects that handles are in */
	bool *is_handle_object;       /* of each object */
	struct flow_handles *handles; /* of each create of a std::thread; null: there is none */
};

/* joins.c */
struct flow_cell flow_cell_of(const struct flow_program *program, const struct flow_single *single, uint32_t value,
			      int64_t offset);
/* The address from which a join loads the handle, or WHOLE_NONE. */
uint32_t flow_join_pointer(const struct flow_program *program, const struct flow_call *call);
/* Whether nothing but these creates, and numbers, is written where the pointer points to. */
bool flow_is_written_by(const struct flow_joining *joining, uint32_t pointer, struct flow_cell cell,
			const struct flow_ids *creates);
bool flow_is_written_before(const struct flow_program *program, const struct flow_threads *threads,
			    const struct flow_single *single, uint32_t pointer, uint32_t function, uint32_t block);
/* Whether a value means the same at a create and at the call of a join. */
bool flow_is_same_value(const struct flow_program *program, uint32_t base, const struct flow_create *create,
			uint32_t join);
struct flow_join *flow_add_join(const struct flow_program *program, struct flow_joins *joins, uint32_t function,
				uint32_t call);
/* What is over after a join of what these creates, all of them, started. */
void flow_join_roots(const struct flow_threads *threads, struct flow_join *join, const struct flow_ids *creates);

/* The creates whose handle is in the cell when the instruction is reached. */
void flow_creates_at(const struct flow_program *program, const struct flow_threads *threads,
		     const struct flow_single *single, struct flow_cell cell, uint32_t instruction,
		     struct flow_ids *creates);

/* unset.c */
void flow_unset_find(struct flow_joining *joining);
/* The address that the block's end compares the contents of with zero; or WHOLE_NONE. */
uint32_t flow_tested_pointer(const struct whole *whole, const struct whole_block *block);
/* Addresses of handles that the block's end tests: they were loaded, or stored, there in this block, or asked for by joinable. The
 * number of the successor where they are not set is in *successor. */
enum { FLOW_MAX_TESTED = 4 };
unsigned flow_tested_pointers(const struct flow_program *program, const struct whole_block *block, uint32_t *pointers,
			      uint32_t *successor);
/* Whether a value was found to be zero on all ways to the block. */
bool flow_is_zero(const struct flow_program *program, uint32_t value, uint32_t block);

/* handles.c */
void flow_handles_find(const struct flow_program *program, const struct flow_threads *threads, uint32_t create,
		       uint64_t *steps, struct flow_handles *handles);
void flow_handles_release(struct flow_handles *handles);
bool flow_handles_meet(const struct flow_handles *handles, struct points_location at, uint64_t size_bytes);
/* Whether the instruction stores a handle somewhere; whether the call may, or start such a thread. */
bool flow_handles_moves(const struct flow_program *program, const struct flow_handles *handles, uint32_t instruction);
bool flow_handles_puts(const struct flow_program *program, const struct flow_threads *threads,
		       const struct flow_handles *handles, uint32_t create, uint32_t call);
/* Whether code that is not analysed may have what is in the object. */
bool flow_is_foreign(const struct flow_program *program, uint32_t object);

/* At a call, or along edges, no std::thread has a handle that is in an object, from one offset to before another; or in the blocks of the
 * vector that is at the offset. Handles are stride bytes apart, the first handle_offset after the start of the
 * array. */
struct flow_empty {
	uint32_t function;
	uint32_t call; /* instruction, or WHOLE_NONE */
	struct flow_ids edges;
	uint32_t object;
	uint64_t offset, end;
	bool is_vector;
	uint64_t stride, handle_offset;
	struct flow_ids rounds; /* blocks of the loop that empties them one after the other; none: it is no loop */
};

/* owned.c */
void flow_owned_find(struct flow_joining *joining);
void flow_owned_release(struct flow_joining *joining);
/* The one place, no element of an array, that the pointer points to. */
bool flow_owned_place(const struct flow_program *program, uint32_t pointer, struct flow_empty *empty);
/* Adds a join of all threads whose handles are there. */
void flow_owned_add(struct flow_joining *joining, const struct flow_empty *empty);

/* walks.c */
void flow_walks_find(struct flow_joining *joining);

/* The loops that count, in which all blocks but the header run with the counter from start to below the bound. */
struct flow_counted {
	uint32_t header; /* block within the function */
	uint32_t counter, start;
	int64_t step;         /* what each round adds */
	uint32_t bound;       /* or WHOLE_NONE: twice, from a start that is a number */
	bool is_tested_first; /* at the header; else after the body, which runs at least once */
	bool is_less;         /* goes on while less than the bound; else until equal */
	uint32_t exit_block, exit_successor;
};

/* A function's loops, while they are examined. */
struct flow_shape {
	const struct flow_joining *joining;
	uint32_t function, first_block, count;
	const struct graph *graph;
	uint32_t *loop_of, *outer, *dominator;
};

/* loops.c */
void flow_loops_find(struct flow_joining *joining);

void flow_shape_init(struct flow_shape *shape, const struct flow_joining *joining, uint32_t function);
void flow_shape_release(struct flow_shape *shape);
bool flow_is_in_loop(const struct flow_shape *shape, uint32_t block, uint32_t header);
void flow_loop_blocks(const struct flow_shape *shape, uint32_t header, struct flow_ids *blocks);
/* The only block from which the loop goes on, or GRAPH_NONE. */
uint32_t flow_only_latch(const struct flow_shape *shape, uint32_t header);
/* The value that a phi of the header begins with, if every iteration adds a number; or WHOLE_NONE. */
uint32_t flow_start_of(const struct flow_shape *shape, uint32_t counter, uint32_t header, int64_t *step);
/* Whether the loop is left by its count, or by what does not return. */
bool flow_is_left_by_counting(const struct flow_shape *shape, const struct flow_counted *counted);

#endif
