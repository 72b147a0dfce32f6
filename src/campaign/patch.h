/*
 * patch.h: makes a guard for one failure, without training. It takes from the failing schedule the orders of two
 * accesses that a guard could prevent, and tries each under control. With the patch, neither similar schedules nor
 * random ones may fail, nor native runs with sleeps at the places where threads of the schedule were preempted. Prints
 * nothing.
 *
 * Invariants:
 *  1. A patch that is written has passed every requested schedule, and all native runs of the program except those in
 *     which a wait was too short.
 *     Assured by tests/cli/patch.t.
 *  2. When patch_make returns, no process of ours is left, and the store is unchanged.
 *     Assured by tests/cli/patch.t.
 */
#ifndef CAMPAIGN_PATCH_H
#define CAMPAIGN_PATCH_H

#include <signal.h>

#include "base/err.h"
#include "campaign/patch_orders.h"
#include "trace/guard.h"

/* The maximum number of orders in a patch. Most failures need one; a failure that occurs in several ways needs
 * several. */
#define PATCH_ORDERS 8u

/* The length of a sleep before accesses at which threads of the schedule were preempted: well below the longest wait of
 * a guard. */
#define PATCH_SLEEP_US 2000u

struct patch_request {
	const char *store; /* --store; null: the usual one */
	int64_t id;
	const char *out, *runtime; /* as struct baking has them */
	const char *input;         /* file; null: runs read nothing */
	const char *check;         /* null: none */
	uint64_t runs;             /* number of random schedules */
	uint64_t native;           /* number of runs of the program itself, with sleeps and without */
	volatile sig_atomic_t const *is_stopped;
};

/* The results of a set of runs. */
struct patch_count {
	uint64_t runs, failed;
	uint64_t others; /* ended in a different failure */
};

struct patch {
	const struct patch_request *request;
	char *kind, *program; /* the kind of the finding; the path of the program */
	struct patch_places places;
	struct patch_order orders[PATCH_ORDERS]; /* that the patch prevents */
	size_t order_count;
	uint32_t guarded_count; /* number of guarded places */
	uint32_t *turns;        /* places with a sleep before them */
	size_t turn_count;
	struct patch_count bare_near, near; /* the failing schedule and its neighbours: without the patch, with it */
	struct patch_count bare_random, random;
	struct patch_count bare_native, native; /* with sleeps */
	uint64_t short_count;                   /* further native runs that failed because a wait was too short */
	struct patch_count baked;               /* runs of the file that was written, without sleeps */
	uint64_t tried;                         /* number of orders that were tried */
	const char *no_native;                  /* why there were no native runs; null: there were */
};

/* Makes, verifies and writes the patch. Returns 0 when it was written, or a negative errno with err set: -ENOTSUP, with
 * the reason, when the finding cannot be patched. Call patch_release in any case. */
int patch_make(struct patch *self, const struct patch_request *request, struct err *err);
void patch_release(struct patch *self);

#endif
