/*
 * flow_priv.h: what the files of flow.c share. In the order in which they work:
 *
 *   analysis/flow/program.c  calls, control flow, what runs at most once
 *   analysis/flow/once.c     what is done once for all threads, and who knows that it is
 *   analysis/flow/threads.c  where threads are started, and so which roots there are
 *   analysis/flow/states.c   what a std::thread runs
 *   analysis/flow/arguments.c  which functions a thread calls through what it was given
 *   analysis/flow/joins.c    which calls certainly wait for which roots
 *   analysis/flow/unset.c    where a handle that is not set shows that nothing runs
 *   analysis/flow/loops.c    the same for loops that start threads and loops that wait for them
 *   analysis/flow/handles.c  where the handle of a std::thread may get to
 *   analysis/flow/owned.c    where all of these places are empty, so that the threads are over
 *   analysis/flow/walks.c    loops that find a vector or an array of threads empty
 *   analysis/flow/alive.c    which roots may be alive at each instruction, of those that the thread at hand started
 *   analysis/flow/concurrent.c   which others may be
 *   analysis/flow/paths.c    where pointers come from, as expressions that can be compared: locks are named by them
 *   analysis/flow/locks.c    sets of held locks, and what takes and releases them
 *   analysis/flow/translate.c  how they are named on the other side of a call
 *   analysis/flow/walk.c     contexts: each function for each way of entering it
 *   analysis/flow/fresh.c    memory that no other thread can know yet
 *   analysis/flow/visits.c   what comes out
 */
#ifndef ANALYSIS_FLOW_FLOW_PRIV_H
#define ANALYSIS_FLOW_FLOW_PRIV_H

#include "analysis/flow/flow.h"
#include "analysis/models/models.h"
#include "analysis/program/graph.h"

struct flow_ids {
	uint32_t *items;
	uint32_t count, room;
};

void flow_ids_add(struct flow_ids *ids, uint32_t id);
bool flow_ids_has(const struct flow_ids *ids, uint32_t id);
bool flow_ids_add_new(struct flow_ids *ids, uint32_t id); /* false: it was there */
void flow_ids_release(struct flow_ids *ids);

/* Items of a table that are one behind the other. */
struct flow_range {
	uint32_t first, count;
};

/* Rows of words, each kept once: the same row has the same number. */
struct flow_interned {
	uint32_t *words;
	uint32_t *starts; /* of each row, and one more */
	uint32_t count, word_count, word_room, start_room;
	uint32_t *slots; /* 1 + number */
	uint32_t slot_room;
};

uint32_t flow_interned_add(struct flow_interned *table, const void *row, uint32_t words);
const uint32_t *flow_interned_row(const struct flow_interned *table, uint32_t number,
				  uint32_t *words); /* words may be null */
void flow_interned_release(struct flow_interned *table);

/* ---- analysis/flow/program.c ---- */

struct flow_call {
	uint32_t instruction;
	uint32_t first_target, target_count; /* in targets: defined functions that are called here, or called back */
	const struct model *model;           /* of what is called and not defined, if it matters to threads; or null */
	const char *name;                    /* of that function */
	bool is_certain;                     /* nothing but that is called */
	bool is_wild;                        /* it may be one of several such: anything may happen to locks */
	bool is_asking;                      /* it may answer differently because of what other threads do */
	bool may_skip;                       /* perhaps none of the targets is called */
	bool is_last;                        /* it does not return */
	bool runs_exit_handlers;             /* as exit does */
	bool returns_again;                  /* setjmp: it may return again, from elsewhere */
	bool may_throw;                      /* its block's second successor is for exceptions */
};

struct flow_body {
	struct graph graph; /* of blocks, from 0 within the function */
	uint32_t *order, reached;
	bool *is_in_cycle;
	bool *is_asking; /* of each block: a cycle that it is in calls a library that may say that something is not yet so */
	uint32_t *first_call; /* of each block, in calls; one more behind the last */
};

/* ---- analysis/flow/once.c ---- */

/* A variable that says whether something is done: a pthread_once_t, or the guard of a static variable in a function. */
struct flow_control {
	uint64_t offset;
	uint32_t next; /* 1 + the number of another one in the same object, or 0 */
	bool is_guard;
	bool is_void; /* something else may write it */
};

/* ---- analysis/flow/threads.c ---- */

/* One call that starts threads: a model's, or the call of a function that does nothing else with what it is given. */
struct flow_create {
	uint32_t call;   /* the instruction */
	uint32_t inner;  /* the instruction that calls the model: where the handle is written */
	uint8_t kind;    /* enum flow_root_kind */
	uint32_t handle; /* value: address of the handle, handle_offset bytes before it; or WHOLE_NONE */
	int64_t handle_offset;
	uint32_t argument; /* value: what the routine gets, or where that is (is_argument_deep); or WHOLE_NONE */
	bool is_argument_deep;
	uint32_t parameter; /* number of the routine's parameter that gets it */
	struct flow_ids roots;
};

/* What a call in the routine of a root may call: less than what points-to knows. */
struct flow_narrowed {
	uint32_t root, call;
	struct flow_ids functions;
};

/* After it, all threads of these roots are over, if at no time more than one of them (or more than one round of the loop that
 * makes them) is alive; analysis/flow/alive.c finds out whether that is so. It happens at a call, or along the edges out of a loop. */
struct flow_join {
	uint32_t call; /* instruction, or WHOLE_NONE: a loop */
	uint32_t next; /* of the same call, or WHOLE_NONE */
	struct flow_ids roots;
	uint32_t function;
	/* Of a loop: edges into the loops that make them, and those along which it happens: block within the function and
	 * number of the successor, by turns; the first are in a function of their own. */
	struct flow_ids entries, edges;
	uint32_t entry_function;
	bool is_distant; /* that is another one */
	/* At most one thread of each of them may be alive (each is made by a call of its own, through an element of its own), or one of
	 * all of them (they are made through one place). */
	bool is_one_of_each, is_one_of_all;
	/* All handles are where they were found empty. No other thread may start some then, or have one in a stack slot or a value of
	 * these functions; if the place itself is one, it is that of this function, else WHOLE_NONE. */
	bool is_owned;
	uint32_t owner;
	struct flow_ids holders;
	struct flow_ids rounds; /* that must be so in all these blocks */
};

/* ---- analysis/flow/handles.c ---- */

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

/* ---- analysis/flow/owned.c ---- */

/* At a call, or along edges, no std::thread has a handle that is in an object, from one offset to before another; or in the blocks of the
 * vector that is at the offset. Handles are stride bytes apart, the first handle_offset behind the start of the array. */
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

/* Where a handle is: a place in an object that exists once, or a distance from a value. */
struct flow_cell {
	uint32_t object, base; /* one of them is WHOLE_NONE */
	int64_t offset;
};

/* The loops that count, in which all blocks but the header run with the counter from start to below the bound. */
struct flow_counted {
	uint32_t header; /* block within the function */
	uint32_t counter, start;
	int64_t step;         /* what each round adds */
	uint32_t bound;       /* or WHOLE_NONE: twice, from a start that is a number */
	bool is_tested_first; /* at the header; else behind the body, which runs at least once */
	bool is_less;         /* goes on while less than the bound; else until equal */
	uint32_t exit_block, exit_successor;
};

/* ---- analysis/flow/alive.c ---- */

/* What a piece of code does to the set of roots that may be alive: (set - kill) + gen. */
struct flow_change {
	bool is_reached;
	uint64_t *gen, *kill;
};

/* ---- results of the phases ---- */

struct flow_program {
	const struct whole *whole;
	const struct points *points;
	struct flow_body *bodies;
	const struct model **models; /* of functions that are not defined; null: none */
	struct flow_call *calls;     /* those of a block one behind the other, and those of a function */
	uint32_t *call_of;           /* of each instruction that is a call: its index */
	uint32_t call_count, call_room;
	struct flow_ids targets;
	struct flow_ids *callers;  /* of each function: indexes of calls */
	bool *is_address_taken;    /* of each function */
	uint32_t *component;       /* of each function; callees have lower numbers */
	bool *is_recursive;        /* of each component */
	struct flow_ids bottom_up; /* defined functions, callees first */
	bool *is_outside;          /* of each object: code that is not analysed may write it */
};

struct flow_controls {
	struct flow_control *rows;
	uint32_t count, room;
	uint32_t *of_object; /* of each object: 1 + the number of one in it; 0: none */
};

struct flow_threads {
	struct flow_root *roots;
	uint32_t root_count, root_room;
	uint32_t words; /* of a set of roots */
	struct flow_create *creates;
	uint32_t create_count, create_room;
	struct flow_range *creates_of;   /* of each call: those that happen there */
	struct flow_ids first_functions; /* of the first thread: constructors, main */
	struct flow_ids last_functions;  /* run at exit */
	struct flow_ids thread_end_functions;
	struct flow_ids exported_functions;
	bool *is_reached;      /* of each function: from any root */
	uint64_t *started;     /* of each root: a set of roots that it may start itself */
	uint64_t *descendants; /* of each root: itself, what it starts, what they start, ... */
	bool has_threads;
	uint32_t bound_functions; /* as in struct flow_statistics */
};

struct flow_single {
	uint8_t *runs; /* of each function: enum runs */
};

struct flow_arguments {
	struct flow_narrowed *rows;
	uint32_t count, room;
	bool *is_narrowed; /* of each call: it has rows */
};

struct flow_joins {
	struct flow_join *rows;
	uint32_t count, room;
	struct flow_ids *of_function; /* of each function: joins in it */
	uint32_t *of_call;            /* of each call: the first of its joins, or WHOLE_NONE */
};

struct flow_joining {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_single *single;
	struct flow_joins *joins;
	struct flow_ids writers;      /* instructions that write objects that handles are in */
	bool *is_handle_object;       /* of each object */
	struct flow_handles *handles; /* of each create of a std::thread; null: there is none */
};

struct flow_alive_input {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_arguments *arguments;
	const struct flow_joins *joins;
};

struct flow_alive {
	struct flow_alive_input in;
	bool *is_thread_relevant;           /* of each function: it or what it calls starts or joins */
	bool *ends_threads;                 /* of each function: it or what it calls ends the thread */
	uint64_t *may_start;                /* of each function: roots */
	struct flow_change *changes;        /* of each relevant function, from entry to return */
	struct flow_change **block_changes; /* of each relevant function: from entry to each block */
	bool *is_void;                      /* of each join: it turned out not to be so */
	uint64_t *leftover;                 /* of each root: what it started that may be alive when it ends */
	uint64_t *concurrent_roots;         /* of each root: what may be alive while it is, and was not started by it */
	uint64_t **at_entry; /* of each root and function: what came from the root and is alive at entry; null */
};

struct flow_paths_input {
	const struct flow_program *program;
	const struct flow_single *single;
	const struct flow_alive *alive;
};

struct flow_paths {
	struct flow_paths_input in;
	struct flow_interned nodes;
	uint32_t *value_node; /* of each value: 1 + its node; 0: not known yet */
	int64_t *value_offset;
	bool *is_unstable; /* of each location: written while several threads are alive */
	bool *is_object_unstable;
};

struct flow_lock_sets_input {
	const struct flow_program *program;
	const struct flow_controls *controls;
	struct flow_paths *paths;
};

struct flow_lock_sets {
	struct flow_lock_sets_input in;
	struct flow_interned pointees; /* sets of locations */
	struct flow_interned locks;    /* struct lock */
	struct flow_interned sets;     /* of locks, ascending */
	struct flow_ids taken_at;      /* of each lock: the call that took it first */
};

struct flow_releases {
	struct flow_ids *released; /* of each function: pointees of what it may release */
	bool *changes_locks;       /* of each function: it or what it calls takes or releases some */
	bool *is_wild;             /* of each function: it may release anything */
	uint32_t *returned_number; /* of each function: the value that it always returns, or WHOLE_NONE */
};

struct flow_crowds_input {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_arguments *arguments;
	const struct flow_alive *alive;
	const struct flow_releases *releases;
};

struct flow_crowds {
	uint32_t *of_call;          /* of each call: its crowd, or WHOLE_NONE */
	struct flow_interned lists; /* of targets */
	struct flow_ids traits;     /* of each: enum trait */
};

struct flow_walk_input {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_arguments *arguments;
	const struct flow_alive *alive;
	const struct flow_releases *releases;
	const struct flow_crowds *crowds;
	struct flow_lock_sets *lock_sets;
	uint32_t most_contexts; /* of a function; 0: a default */
};

struct flow_walk {
	struct flow_walk_input in;
	struct flow_interned caller_pairs; /* context and one that asked for it, each once */
	struct flow_context *contexts;
	uint32_t context_count, context_room;
	struct flow_ids *contexts_of;       /* of each root and function */
	struct flow_interned done_keys;     /* root and function -> the same number of done_counts */
	struct flow_ids done_counts;        /* contexts that are entered with something known to be done */
	struct flow_interned done_entries;  /* root, function and locks -> the same number of done_contexts */
	struct flow_ids done_contexts;      /* or WHOLE_NONE: it is entered without that */
	struct flow_interned crowd_locks;   /* crowd and locks before a call -> the same number of crowd_after */
	struct flow_ids crowd_after;        /* locks behind it */
	struct flow_interned crowd_entries; /* root, crowd and locks -> the same number of crowd_contexts */
	struct flow_ids crowd_contexts;
	uint64_t steps; /* as in struct flow_statistics, the next two, too */
	uint64_t live_count;
	uint32_t merged_functions;
	struct flow_ids todo; /* contexts */
	bool is_recording;    /* edges between contexts are being written down */
};

struct flow_fresh {
	bool *is_fresh; /* of each access */
};

struct flow_visits_input {
	const struct flow_program *program;
	const struct flow_threads *threads;
	const struct flow_alive *alive;
	struct flow_lock_sets *lock_sets;
	struct flow_walk *walk;
};

struct flow_visits {
	struct flow_visits_input in;
	struct flow_interned root_sets;
	struct flow_interned seen_locks; /* set of locks and path of the access -> the same number of seen_sets */
	struct flow_ids seen_sets;
	struct flow_interned row_sets; /* sets of indexes of lock_rows */
	struct flow_interned row_keys; /* struct flow_lock without its words; the same number in lock_rows */
	struct flow_lock *lock_rows;   /* every lock as a visit may have it */
	uint32_t lock_row_count, lock_row_room;
	struct flow_lock *set_rows; /* the rows of each of row_sets, one set behind the other */
	uint32_t *set_first;
	struct flow_visit *rows;
	uint32_t count, room;
	uint32_t *first; /* of each access, and one more */
	struct flow_order *orders;
	uint32_t order_count, order_room;
	struct flow_interned order_keys;
	struct flow_interned free_keys; /* struct flow_free; the same number in frees */
	struct flow_free *frees;
	uint32_t free_room;
};

struct flow {
	struct flow_options options;
	struct flow_program program;
	struct flow_controls controls;
	struct flow_threads threads;
	struct flow_single single;
	struct flow_arguments arguments;
	struct flow_joins joins;
	struct flow_alive alive;
	struct flow_paths paths;
	struct flow_lock_sets lock_sets;
	struct flow_releases releases;
	struct flow_crowds crowds;
	struct flow_walk walk;
	struct flow_fresh fresh;
	struct flow_visits visits;
	struct flow_root *roots; /* those of threads, with what alive says of how many there are */
};

/* Room for one more row behind count. */
void *flow_grow(void *rows, uint32_t count, uint32_t *room, size_t row_bytes);

static inline bool flow_bit_has(const uint64_t *set, uint32_t bit)
{
	return set[bit / 64] >> (bit % 64) & 1;
}

static inline void flow_bit_add(uint64_t *set, uint32_t bit)
{
	set[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* to |= from; whether that changed anything. */
bool flow_bits_add(uint64_t *to, const uint64_t *from, uint32_t words);
bool flow_bits_are_empty(const uint64_t *set, uint32_t words);

/* analysis/flow/program.c */
void flow_program_init(const struct whole *whole, const struct points *points, struct flow_program *program);
void flow_program_release(struct flow_program *program);
/* Index of the call that an instruction is; it is one. */
static inline uint32_t flow_call_at(const struct flow_program *program, uint32_t instruction)
{
	return program->call_of[instruction];
}

uint32_t flow_argument(const struct flow_program *program, uint32_t instruction, int number); /* value, or WHOLE_NONE */
/* The defined functions that a value may be the address of. */
void flow_code(const struct flow_program *program, uint32_t value, struct flow_ids *functions);
/* Whether the instruction is in a loop of its function. */
bool flow_is_in_cycle(const struct flow_program *program, uint32_t instruction);

/* analysis/flow/single.c */
void flow_single_find(const struct flow_program *program, const struct flow_threads *threads,
		      struct flow_single *single);
void flow_single_release(struct flow_single *single);
bool flow_runs_once(const struct flow_program *program, const struct flow_single *single, uint32_t instruction);
/* Whether the object exists at most once in the running program. */
bool flow_is_single(const struct flow_program *program, const struct flow_single *single, uint32_t object);
/* Whether a value, if it is no null pointer, is the address of one place in one object that exists once: no array's element. */
bool flow_exact(const struct flow_program *program, const struct flow_single *single, uint32_t value, uint32_t *object,
		uint64_t *offset);

/* analysis/flow/once.c */
void flow_controls_find(const struct flow_program *program,
			struct flow_controls *controls); /* after flow_program_init */
void flow_controls_release(struct flow_controls *controls);
/* With what the control, a value, is for known to be done, if it stays so. */
uint32_t flow_locks_done(struct flow_lock_sets *lock_sets, uint32_t set, uint32_t control, uint32_t call);
uint32_t flow_locks_without_done(struct flow_lock_sets *lock_sets, uint32_t set);
/* The address of the guard that the end of the block found to be set, if that successor is next; or WHOLE_NONE. */
uint32_t flow_known_done(const struct flow_controls *controls, struct flow_paths *paths,
			 const struct whole_block *block, uint32_t successor);

/* analysis/flow/threads.c */
void flow_threads_find(const struct flow_program *program, struct flow_threads *threads);
void flow_threads_release(struct flow_threads *threads);

/* analysis/flow/states.c */
/* The functions that a call which is given a std::thread's state, in that argument, starts; false: it cannot be seen from the
 * function that the call is in. */
bool flow_state_routines(const struct flow_program *program, uint32_t call, int argument, struct flow_ids *routines);

/* analysis/flow/crowd.c */
/* After flow_alive_solve and flow_locks_init. */
void flow_crowds_find(const struct flow_crowds_input *in, struct flow_crowds *crowds);
void flow_crowds_release(struct flow_crowds *crowds);
bool flow_crowd_starts(const struct flow_crowds *crowds, uint32_t crowd); /* one of them may start threads */
bool flow_crowd_locks(const struct flow_crowds *crowds, uint32_t crowd);  /* one of them takes or releases locks */

/* analysis/flow/arguments.c */
void flow_arguments_find(const struct flow_program *program, const struct flow_threads *threads,
			 struct flow_arguments *arguments);
void flow_arguments_release(struct flow_arguments *arguments);
/* Whether a call, an index of calls, calls the target in a thread of the root. */
bool flow_may_call(const struct flow_arguments *arguments, uint32_t root, uint32_t call, uint32_t function);

/* analysis/flow/joins.c */
void flow_joins_find(const struct flow_program *program, const struct flow_threads *threads,
		     const struct flow_single *single, struct flow_joins *joins);
void flow_joins_release(const struct flow_program *program, struct flow_joins *joins);
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
/* What is over behind a join of what these creates, all of them, started. */
void flow_join_roots(const struct flow_threads *threads, struct flow_join *join, const struct flow_ids *creates);

/* The creates whose handle is in the cell when the instruction is reached. */
void flow_creates_at(const struct flow_program *program, const struct flow_threads *threads,
		     const struct flow_single *single, struct flow_cell cell, uint32_t instruction,
		     struct flow_ids *creates);

/* analysis/flow/unset.c */
void flow_unset_find(struct flow_joining *joining);
/* The address that the block's end compares the contents of with zero; or WHOLE_NONE. */
uint32_t flow_tested_pointer(const struct whole *whole, const struct whole_block *block);
/* Addresses of handles that the block's end tests: they were loaded, or stored, there in this block, or asked for by joinable. The
 * number of the successor where they are not set is in *successor. */
enum { FLOW_MOST_TESTED = 4 };
unsigned flow_tested_pointers(const struct flow_program *program, const struct whole_block *block, uint32_t *pointers,
			      uint32_t *successor);
/* Whether a value was found to be zero on all ways to the block. */
bool flow_is_zero(const struct flow_program *program, uint32_t value, uint32_t block);

/* analysis/flow/handles.c */
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

/* analysis/flow/owned.c */
void flow_owned_find(struct flow_joining *joining);
void flow_owned_release(struct flow_joining *joining);
/* The one place, no element of an array, that the pointer points to. */
bool flow_owned_place(const struct flow_program *program, uint32_t pointer, struct flow_empty *empty);
/* Adds a join of all whose handles are there. */
void flow_owned_add(struct flow_joining *joining, const struct flow_empty *empty);

/* analysis/flow/walks.c */
void flow_walks_find(struct flow_joining *joining);

/* analysis/flow/loops.c */
void flow_loops_find(struct flow_joining *joining);

/* A function's loops, while they are looked at. */
struct flow_shape {
	const struct flow_joining *joining;
	uint32_t function, first_block, count;
	const struct graph *graph;
	uint32_t *loop_of, *outer, *dominator;
};

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

/* analysis/flow/alive.c */
void flow_alive_solve(const struct flow_alive_input *in, struct flow_alive *alive);
void flow_alive_release(struct flow_alive *alive);
/* Of a root: the set in a row of sets. */
static inline uint64_t *flow_row(const struct flow_threads *threads, uint64_t *rows, uint32_t root)
{
	return rows + (size_t)root * threads->words;
}
/* What is alive at the start of a block when `entry` is at the function's; false: not reached. */
bool flow_alive_at(const struct flow_alive *alive, uint32_t function, uint32_t block, const uint64_t *entry,
		   uint64_t *set);
/* Calls each for every call of a block (an index of calls), in order, with what is alive before it, and with WHOLE_NONE where the
 * function returns. set is what is alive at the block's start and becomes what is at its end. False: the end is not reached. */
typedef void flow_alive_each(void *context, uint32_t call, const uint64_t *set);
bool flow_alive_block(const struct flow_alive *alive, uint32_t function, uint32_t block, uint64_t *set,
		      flow_alive_each *each, void *context);
/* Takes away what is over along an edge. */
void flow_alive_edge(const struct flow_alive *alive, uint32_t function, uint32_t block, uint32_t successor,
		     uint64_t *set);
/* Adds what a call starts. */
void flow_alive_start(const struct flow_alive *alive, uint32_t call, uint64_t *set);
/* Functions that run at a call (or, WHOLE_NONE, at the return of the function) because the thread or the program ends. */
uint32_t flow_end_functions(const struct flow_program *program, const struct flow_threads *threads, uint32_t root,
			    uint32_t function, uint32_t call, const struct flow_ids *lists[2]);

/* analysis/flow/concurrent.c */
/* Where the sets of each root's functions begin; then who is alive beside whom. Returns whether joins turned out to be void. */
bool flow_concurrent_solve(struct flow_alive *alive);

/* analysis/flow/paths.c */
#define NODE_NONE UINT32_MAX
enum node_kind { NODE_PARAMETER, NODE_VALUE, NODE_OBJECT, NODE_LOAD, NODE_INDEX, NODE_RETURN };

/* Where an address comes from. A row of an interned table: no padding. */
struct node {
	uint32_t kind;
	uint32_t index;  /* number of the parameter; value; object; of LOAD and INDEX the node below */
	int64_t offset;  /* LOAD: *(below + offset) */
	uint64_t stride; /* INDEX: below + stride * by */
	uint32_t by;     /* INDEX: a node */
	uint32_t zero;
};

/* A node and a distance from it. */
struct path {
	uint32_t node;
	int64_t offset;
};

/* What is `node` on one side of a call is `path` on the other. */
struct binding {
	uint32_t node;
	struct path path;
};

struct bindings {
	struct binding *items;
	uint32_t count, room;
	bool keeps_parameters; /* parameters have the same meaning on both sides */
};

void flow_paths_init(const struct flow_paths_input *in, struct flow_paths *paths);
void flow_paths_release(struct flow_paths *paths);
struct path flow_path(struct flow_paths *paths, uint32_t value);
struct node flow_node(const struct flow_paths *paths, uint32_t node);
uint32_t flow_make_node(struct flow_paths *paths, struct node node);
/* Whether the node means the same in every function. */
bool flow_is_global(const struct flow_paths *paths, uint32_t node);
bool flow_has_load(const struct flow_paths *paths, uint32_t node);
/* Whether the node names a value that is made in the block, so that another round of a loop makes it anew. */
bool flow_is_made_in(const struct flow_paths *paths, uint32_t node, uint32_t block);
/* The node as the other side of a call sees it; .node is NODE_NONE when it cannot. */
struct path flow_rewrite(struct flow_paths *paths, uint32_t node, const struct bindings *bindings);

/* analysis/flow/locks.c: sets of locks are interned; a set is named by its number. */
#define LOCKS_NONE 0u
#define LOCKS_UNREACHED UINT32_MAX
#define LOCK_NOT_PENDING UINT32_MAX

/* How it is held. DONE: as if for reading, since what its control is for is done; never released. */
enum lock_mode { LOCK_EXCLUSIVE = 0, LOCK_SHARED = 1, LOCK_DONE = 3 };

/* A row of an interned table: no padding. */
struct lock {
	uint32_t node;      /* NODE_NONE: only what it may be is known */
	uint32_t is_shared; /* enum lock_mode */
	int64_t offset;
	uint32_t pointees; /* interned: what the lock's pointer may point to */
	uint32_t pending;  /* LOCK_NOT_PENDING, or held if this value is zero; if not, with the highest bit */
};

void flow_locks_init(const struct flow_lock_sets_input *in, struct flow_lock_sets *lock_sets);
void flow_locks_release(struct flow_lock_sets *lock_sets);
struct lock flow_lock_row(const struct flow_lock_sets *lock_sets, uint32_t lock);
uint32_t flow_locks_count(const struct flow_lock_sets *lock_sets, uint32_t set);
uint32_t flow_locks_item(const struct flow_lock_sets *lock_sets, uint32_t set, uint32_t number);
/* What holds on both ways. */
uint32_t flow_locks_meet(struct flow_lock_sets *lock_sets, uint32_t a, uint32_t b);
/* The lock that a call of a model takes or releases. */
struct lock flow_lock_of(struct flow_lock_sets *lock_sets, uint32_t pointer);
uint32_t flow_locks_add(struct flow_lock_sets *lock_sets, uint32_t set, struct lock lock, uint32_t call);
/* After a call of a model. */
uint32_t flow_locks_model(struct flow_lock_sets *lock_sets, uint32_t set, const struct flow_call *call);
/* Along an edge: locks that the test decides; and what the next block makes anew is gone. */
uint32_t flow_locks_edge(const struct flow_releases *releases, struct flow_lock_sets *lock_sets, uint32_t set,
			 uint32_t block, uint32_t successor, uint32_t to);
/* Without those whose name is a place in memory. */
uint32_t flow_locks_drop_loads(struct flow_lock_sets *lock_sets, uint32_t set);
bool flow_may_be_same(const struct flow_lock_sets *lock_sets, const struct lock *a, const struct lock *b);
bool flow_lock_is_concrete(const struct flow_paths *paths, const struct lock *lock);
uint32_t flow_locks_intern(struct flow_lock_sets *lock_sets, struct flow_ids *locks); /* sorts them; empties the list */
uint32_t flow_lock_number(struct flow_lock_sets *lock_sets, struct lock lock);
/* What a pointer may point to, interned; and whether two such sets may have a place in common. */
uint32_t flow_pointees_of(struct flow_lock_sets *lock_sets, uint32_t pointer);
bool flow_may_share(const struct flow_lock_sets *lock_sets, uint32_t a, uint32_t b);

/* analysis/flow/releases.c */
void flow_releases_find(struct flow_releases *releases, struct flow_lock_sets *lock_sets);
void flow_releases_release(const struct flow_program *program, struct flow_releases *releases);
/* Whether the function, with all that it calls, may release the lock. */
bool flow_may_release(const struct flow_releases *releases, const struct flow_lock_sets *lock_sets, uint32_t function,
		      const struct lock *lock);

/* analysis/flow/translate.c */
/* What a call of a defined function is entered with, and what holds after it when the callee, entered with `entry`, returns with
 * `exit`. */
uint32_t flow_locks_enter(struct flow_lock_sets *lock_sets, uint32_t set, uint32_t instruction, uint32_t function);
/* The same for a callee of which nothing is known. */
uint32_t flow_locks_enter_any(struct flow_lock_sets *lock_sets, uint32_t set);
uint32_t flow_locks_return(const struct flow_releases *releases, struct flow_lock_sets *lock_sets, uint32_t set,
			   uint32_t instruction, uint32_t function, uint32_t entry, uint32_t exit);
/* In words that the caller understands, at a return. */
uint32_t flow_locks_at_return(struct flow_lock_sets *lock_sets, uint32_t set, uint32_t instruction);
/* Where an exception leaves the call. */
uint32_t flow_locks_throw(const struct flow_releases *releases, struct flow_lock_sets *lock_sets, uint32_t set,
			  const struct flow_call *call);

/* analysis/flow/walk.c */
struct flow_edge {
	uint32_t call, context; /* call: WHOLE_NONE at the function's return */
};

struct flow_context {
	uint32_t root, function;
	uint32_t crowd;          /* not WHOLE_NONE: it stands for those of a crowd's members, and has no body */
	uint32_t entry, exit;    /* sets of locks */
	uint32_t *blocks;        /* set of locks at the start of each block */
	struct flow_ids callers; /* contexts */
	bool is_queued;
	bool is_live;            /* it is entered by others that are */
	struct flow_edge *edges; /* by call; once all is known */
	uint32_t edge_count, edge_room;
	uint64_t *alive; /* what came from the root and may be alive at entry */
};

void flow_walk(const struct flow_walk_input *in, struct flow_walk *walk);
void flow_walk_release(struct flow_walk *walk);
/* The locks after a call in a context, given those before. */
uint32_t flow_walk_call(struct flow_walk *walk, uint32_t context, uint32_t call, uint32_t locks);

/* analysis/flow/fresh.c */
/* Which accesses touch what no other thread can know yet. */
void flow_fresh_find(const struct flow_program *program, const struct flow_threads *threads, struct flow_fresh *fresh);
void flow_fresh_release(struct flow_fresh *fresh);

/* analysis/flow/visits.c */
void flow_visits_make(const struct flow_visits_input *in, struct flow_visits *visits);
void flow_visits_release(struct flow_visits *visits);

#endif
