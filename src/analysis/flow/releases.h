/*
 * releases.h: what each function may do to locks, with all that it calls.
 * Input: struct flow_program, and struct flow_lock_sets, which names what is released. Result: struct flow_releases.
 */
#ifndef ANALYSIS_FLOW_RELEASES_H
#define ANALYSIS_FLOW_RELEASES_H

#include "analysis/flow/sets.h"

struct flow_lock_sets;
struct flow_program;
struct lock;

struct flow_releases {
	struct flow_ids *released; /* of each function: pointees of what it may release */
	bool *changes_locks;       /* of each function: it or what it calls takes or releases some */
	bool *is_wild;             /* of each function: it may release anything */
	uint32_t *returned_number; /* of each function: the value that it always returns, or WHOLE_NONE */
};

void flow_releases_find(const struct flow_program *program, struct flow_lock_sets *lock_sets,
			struct flow_releases *releases);
void flow_releases_release(const struct flow_program *program, struct flow_releases *releases);
/* Whether the function, with all that it calls, may release the lock. */
bool flow_may_release(const struct flow_releases *releases, const struct flow_lock_sets *lock_sets, uint32_t function,
		      const struct lock *lock);

#endif
