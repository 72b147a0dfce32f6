/*
 * races.h: candidates: pairs of accesses that may be a data race. Two accesses are one when they may touch the same
 * bytes, one of them writes, not both are atomic, they may be made at the same time by different threads, and no lock is
 * held at both for certain. Anything else that speaks against a pair lowers its rank and is reported with it; it never
 * decides.
 */
#ifndef ANALYSIS_RACES_RACES_H
#define ANALYSIS_RACES_RACES_H

#include "analysis/flow/flow.h"
#include "base/mem.h"

/* Why a pair is probably not a race although it could be: bits. */
enum races_doubt {
	RACES_SAME_LOCK_CLASS = 1u << 0, /* both hold a lock of the same kind: of many objects, perhaps the same */
	RACES_CONDITION = 1u << 1,       /* handed over by a condition variable, a semaphore or a barrier, it seems */
	RACES_ATOMIC_GUARD = 1u << 2,    /* around an atomic access that both sides make, it seems */
	RACES_INITIAL = 1u << 3,         /* one side is in the function that made the block, just after that */
	RACES_ANYWHERE = 1u << 4,        /* the pointer may point anywhere in a large object or to many objects */
	RACES_OUTSIDE = 1u << 5,         /* only memory of code that is not analysed */
	RACES_SAME_MANY = 1u << 6,       /* both sides in threads of one routine, at what may be each one's own */
	RACES_VOLATILE = 1u << 7,        /* meant, it seems: volatile or atomic on one side */
	RACES_TYPES = 1u << 8,           /* by the types of the language both access different objects: types.h */
	RACES_ONE_TYPE = 1u << 9,        /* one may access any type, the other not, and pointers say little */
	RACES_STACK = 1u << 10,   /* on the stack of a function that is called more than once: each call has its own */
	RACES_FOREIGN = 1u << 11, /* one side is in a thread that code which is not known may have, or not */
};

struct races_side {
	uint32_t access;
	uint32_t root;
	uint32_t locks; /* as flow_locks names them */
};

struct races_pair {
	struct races_side a, b; /* a is the one that writes, or is first */
	uint32_t object;        /* one that both may touch: the most telling one */
	uint64_t offset;        /* of the bytes that both touch, in the object */
	uint32_t doubts;        /* enum races_doubt */
	double score;           /* 1: as good as certain; 0: hardly possible */
	uint16_t
		remote; /* calls by pointers that may mean many functions on the way of both threads: see analysis/races/remote.c */
	uint32_t group; /* pairs of one variable */
};

/* How many pairs of accesses may touch the same bytes, one of them writing; and what they were ruled out by. A pair that may meet in
 * several places, threads and sets of locks counts once, for what comes last in this list. */
struct races_pruned {
	uint64_t pairs, atomic, unshared, ordered, locked, left;
	uint64_t agreeing; /* of those that are left: without RACES_TYPES */
	uint64_t alike;    /* of these: both have a type, or may access any */
};

struct races_group {
	const char *variable; /* of the best pair; null: no name */
	uint32_t object;
	uint64_t offset;
	uint32_t alike;                  /* number of objects that are accessed in the same way, this one included */
	uint32_t first_pair, pair_count; /* those that are reported, in the order of pairs */
	uint64_t candidate_count;        /* all of them */
	uint64_t tally[101];             /* by their score of 100 */
	uint64_t types_tally[101];       /* of them those with RACES_TYPES */
	bool has_agreeing;               /* one of them is without RACES_TYPES: such groups come first */
	double score;                    /* of the best */
};

struct races_search;

struct races {
	/* Those of one group together, the best first: without RACES_TYPES, then by score. */
	struct races_pair *pairs;
	uint32_t pair_count;
	struct races_group *groups;
	uint32_t group_count;
	uint64_t candidate_count; /* pairs of accesses, whether they are reported or not */
	struct races_pruned pruned;
	uint8_t *is_instrumented; /* for each access: whether it is a side of a candidate */
	uint8_t *
		is_met; /* for each access: whether another thread may ever touch the same bytes, one of both writing, whatever
			    keeps the two apart */
	bool is_cut; /* there were more pairs than are reported */
	struct races_search *search;
};

/* For each object whether more than one thread can reach it: from variables, from what threads are started with and give
 * back, from what code outside has. What is not reached belongs to the thread that made it. Caller frees. */
uint8_t *races_shared_objects(const struct whole *whole, const struct points *points, const struct flow *flow);

/* Whether both sets have a lock that keeps the two accesses apart: the same one, not both for reading. offset_a, offset_b: where in
 * the object each access is, for locks that are known relative to it; POINTS_ANYWHERE when that is not known. */
bool races_have_common_lock(struct flow_locks a, uint64_t offset_a, struct flow_locks b, uint64_t offset_b);

/* The same; if so and common is not null, it gets the lock as it is in each set: of several the first, one with a name if there is any. */
bool races_common_lock(struct flow_locks a, uint64_t offset_a, struct flow_locks b, uint64_t offset_b,
		       const struct flow_lock *common[2]);

/* A score as it is reported, from 0 to 100. */
unsigned races_percent(double score);

struct races *races_find(const struct whole *whole, const struct points *points, const struct flow *flow);
void races_free(struct races *races);

/* Whether two accesses are a candidate, reported or not; if so, pair gets what is known of it, without its group. */
bool races_pair(const struct races *races, uint32_t access_a, uint32_t access_b, struct races_pair *pair);

/* Which locks alone keep accesses that are in no candidate from being in one. */
struct races_guards;
struct races_guards *races_find_guards(const struct races *races);
void races_free_guards(struct races_guards *guards);

/* Whether the access needs a lock in order to be in no candidate. If so, appends the names of such locks as its own thread calls them: "m, q->lock".
 * Nothing is appended when they have no names. */
bool races_guarding(const struct races_guards *guards, uint32_t access, struct buf *names);

#endif
