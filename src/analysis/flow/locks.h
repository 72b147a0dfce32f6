/*
 * locks.h: sets of held locks, and what takes and releases them. Sets are interned: a set is named by its number.
 * Input: struct flow_lock_sets_input. Result: struct flow_lock_sets. It is a table that grows: later phases add the
 * sets that they need, which changes no existing set.
 */
#ifndef ANALYSIS_FLOW_LOCKS_H
#define ANALYSIS_FLOW_LOCKS_H

#include "analysis/flow/paths.h"
#include "analysis/flow/sets.h"

struct flow_call;
struct flow_controls;
struct flow_program;
struct flow_releases;

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

#endif
