/*
 * patch.h: a guard for one failure, without training: from its schedule, it takes orders of two accesses that are to be prevented, and tries each
 * under control; then neither similar schedules nor others may fail, nor native runs with sleeps where the threads of the schedule
 * were preempted. Prints nothing.
 *
 * Invariants:
 *  1. A patch that is written has passed every schedule that was requested, and the runs of the program itself but for those in which a wait was
 *     too short.
 *     Assured by tests/cli/patch.t.
 *  2. When patch_make returns, no process of ours is left, and the store is as it was.
 *     Assured by tests/cli/patch.t.
 */
#ifndef CAMPAIGN_PATCH_H
#define CAMPAIGN_PATCH_H

#include <signal.h>

#include "base/err.h"
#include "campaign/patch_orders.h"
#include "trace/guard.h"

/* One order needs one; a failure that occurs in several ways needs several. */
#define PATCH_ORDERS 8u

/* Before accesses at which threads of the schedule were preempted: well below the longest wait of a guard. */
#define PATCH_SLEEP_US 2000u

struct patch_request {
	const char *store; /* --store; null: the usual one */
	int64_t id;
	const char *out, *runtime; /* as struct baking has them */
	const char *input;         /* file; null: runs read nothing */
	const char *check;         /* null: none */
	uint64_t runs;             /* random schedules */
	uint64_t native;           /* runs of the program itself, with sleeps and without */
	volatile sig_atomic_t const *is_stopped;
};

/* Of some runs. */
struct patch_count {
	uint64_t runs, failed;
	uint64_t others; /* ended in another failure */
};

struct patch {
	const struct patch_request *request;
	char *kind, *program; /* of the finding; the path */
	struct patch_places places;
	struct patch_order orders[PATCH_ORDERS]; /* that the patch makes impossible */
	size_t order_count;
	uint32_t guarded_count; /* places */
	uint32_t *turns;        /* places before which the sleeps are */
	size_t turn_count;
	struct patch_count bare_near, near; /* the failing schedule and its neighbours: without the patch, with it */
	struct patch_count bare_random, random;
	struct patch_count bare_native, native; /* with sleeps */
	uint64_t short_count;                   /* more that failed because a wait was too short */
	struct patch_count baked;               /* the file that was written, without sleeps */
	uint64_t tried;                         /* orders */
	const char *no_native;                  /* why there were no native runs; null: there were */
};

/* Returns 0 when the patch was written; or a negative errno with err set: -ENOTSUP when the finding cannot be patched, with the reason. Release it
 * in any case. */
int patch_make(struct patch *self, const struct patch_request *request, struct err *err);
void patch_release(struct patch *self);

#endif
