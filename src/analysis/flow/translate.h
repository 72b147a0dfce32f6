/*
 * translate.h: how locks are named on the other side of a call. No phase of its own: operations on struct flow_lock_sets, which
 * read struct flow_releases.
 */
#ifndef ANALYSIS_FLOW_TRANSLATE_H
#define ANALYSIS_FLOW_TRANSLATE_H

#include <stdint.h>

struct flow_call;
struct flow_lock_sets;
struct flow_releases;

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

#endif
