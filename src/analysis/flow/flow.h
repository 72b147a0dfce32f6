/*
 * flow.h: in which threads each access is made, which locks are held there for certain, and which threads may run at the
 * same time. In the manner of RELAY (Voung, Jhala, Lerner, FSE 2007) locks are known relative to what a function was given, and what
 * a function does to locks is found once for each way of entering it.
 *
 * A *root* is where a thread of the program begins. A *context* is a root, a function and the locks held when it is entered. A
 * function is passed through once for each context; its instructions in the order of control flow, with the locks held for
 * certain (intersection where ways meet) and the threads that may be alive (union). What it does to both until it returns is
 * applied at the call. When a function has more contexts than the options allow, the rest share one, with the locks that all of
 * them have.
 *
 * What comes out is a list of *visits*: an access in a root with its locks.
 */
#ifndef ANALYSIS_FLOW_FLOW_H
#define ANALYSIS_FLOW_FLOW_H

#include "analysis/points/points.h"
#include "analysis/program/whole.h"

enum flow_root_kind {
	FLOW_MAIN,     /* the first thread: constructors, main, exit handlers */
	FLOW_THREAD,   /* started by a call of pthread_create and its like */
	FLOW_HANDLER,  /* of a signal: may run in any thread, at any time since it was installed */
	FLOW_EXPORTED, /* a function of a library that any code may call */
	FLOW_TEAM,     /* of OpenMP */
	FLOW_FOREIGN,  /* of code that is not known, which was given the function */
};

struct flow_root {
	uint8_t kind;      /* enum flow_root_kind */
	uint32_t function; /* where it begins; of exported functions, which are one root, WHOLE_NONE */
	uint32_t call;     /* the instruction that starts it; WHOLE_NONE for the first thread and exported functions */
	uint32_t calls;    /* how many instructions do: more than one where roots with one function became one */
	bool is_many;      /* more than one thread of this root may be alive at a time */
	const char *why_many; /* in words: "created in a loop"; null otherwise */
};

/*
 * A lock that is held for certain.
 * - CONCRETE: object and offset name one lock of the running program: a global variable, or a block that is made once.
 * - RELATIVE: it is `distance` bytes from the address of the access of the visit, in the same object, whichever that is. A lock that
 *   is both is listed twice.
 * - CLASS: one of several locks that object and offset stand for; not known which. Decides nothing, but helps the
 *   reader and affects the rank.
 */
enum flow_lock_kind { FLOW_CONCRETE, FLOW_RELATIVE, FLOW_CLASS };

struct flow_lock {
	uint8_t kind;   /* enum flow_lock_kind */
	bool is_shared; /* held for reading only */
	uint32_t object;
	uint64_t offset;
	int64_t distance;
	uint32_t
		call; /* an instruction that takes it, or WHOLE_NONE: of several, any; output_find_taken knows a better one */
	uint32_t place;   /* of that */
	const char *name; /* "q->lock"; null: no name */
};

struct flow_locks {
	const struct flow_lock *items;
	uint32_t count;
};

/* Roots as bits: bit r % 64 of word r / 64. */
struct flow_roots {
	const uint64_t *words;
};

struct flow_visit {
	uint32_t access;
	uint32_t root;
	uint32_t locks;    /* a set of locks: flow_locks */
	uint32_t together; /* a set of roots that may be alive while this access is made: flow_is_together */
};

/* One order in which locks are taken: `taken` while `held` is held. */
struct flow_order {
	struct flow_lock held, taken; /* CONCRETE or CLASS */
	uint32_t root;
	uint32_t call;  /* the instruction that takes it */
	uint32_t locks; /* all that is held there */
	uint32_t together;
};

/* One call that frees a block: argument number `argument` of the call. */
struct flow_free {
	uint32_t call; /* the instruction */
	uint32_t argument;
	uint32_t root;
	uint32_t together; /* as in struct flow_visit */
};

struct flow_options {
	uint32_t max_contexts; /* of a function; 0: a default */
	void (*progress)(void *context, unsigned permille);
	void *progress_context;
};

struct flow_statistics {
	uint64_t contexts, visits, steps;
	uint32_t merged_functions; /* that had more contexts than allowed */
	uint32_t
		bound_functions; /* that a library which is not known was given, and that run in its callers' threads only: too many */
};

struct flow;

int flow_solve(const struct whole *whole, const struct points *points, const struct flow_options *options,
	       struct flow **flow, struct err *err);
void flow_free(struct flow *flow);

uint32_t flow_root_count(const struct flow *flow);
const struct flow_root *flow_root(const struct flow *flow, uint32_t root);

/* All visits of one access, without doubles. */
uint32_t flow_visit_count(const struct flow *flow, uint32_t access);
const struct flow_visit *flow_visits(const struct flow *flow, uint32_t access);

struct flow_locks flow_locks(const struct flow *flow, uint32_t set);
bool flow_is_together(const struct flow *flow, uint32_t set, uint32_t root);

/* Whether the access touches memory that its function has just made and that no other thread can know yet: it is a race
 * only if the access that publishes the memory is one. */
bool flow_is_fresh(const struct flow *flow, uint32_t access);

/* Whether the access is in a loop that may wait for another thread by asking a library again and again. */
bool flow_is_polling(const struct flow *flow, uint32_t access);

/* Whether two visits may be made at the same time, by what is known of the threads alone: each one's root is among those that
 * may be alive at the other, and if it is the same root, it is one of many. */
bool flow_may_overlap(const struct flow *flow, const struct flow_visit *a, const struct flow_visit *b);

uint32_t flow_order_count(const struct flow *flow);
const struct flow_order *flow_orders(const struct flow *flow);

/* Calls that free blocks, for each thread that makes them and each set of threads concurrent with it. */
uint32_t flow_free_count(const struct flow *flow);
const struct flow_free *flow_frees(const struct flow *flow);

struct flow_statistics flow_statistics(const struct flow *flow);

#endif
