/*
 * plan.h: decides what is guarded in a program: the places that the training data select, their belonging sets, and
 * their sites in the present builds.
 */
#ifndef LEARNED_PLAN_H
#define LEARNED_PLAN_H

#include "base/err.h"
#include "learned/bias.h"
#include "trace/guard.h"

/* Which of the selected places are left out. */
struct guard_selection {
	bool is_biased;      /* groups with more than BIAS_PERCENT of the accesses (bias.h) */
	bool is_only_marked; /* places that the program did not mark */
};

struct guard_plan {
	struct guard_content content; /* for guard_make */
	/* Indexed by the number of a place in content, from 1: the place as it is in the build, or as it is in the
	 * training data if no build has it. */
	const struct learned_place **places;
	uint32_t *numbers; /* with the same index: the number of the place in the training data */
	struct learned_builds builds;
	uint32_t checked_count, updated_count; /* places whose sets are checked; that are only recorded */
	uint32_t idle_count;                   /* selected places that no check depends on */
	uint32_t missing_count;                /* selected places that are not in these builds */
	const struct learned_place **missing;  /* these, as they are in the training data */
	struct strings absent;                 /* paths of objects of the training data that cannot be used now */
};

/* Makes the plan. program: its path. selection: null if no place is left out. learned must stay until the plan is
 * released; release the plan in any case. Returns 0, or a negative errno with err set: -ENOENT when no file is woven or
 * no place is marked, -ESTALE when the builds have none of the places, -E2BIG when there are too many places. */
int guard_plan_make(struct guard_plan *self, const struct learned *learned, const char *program,
		    const struct guard_selection *selection, struct err *err);
void guard_plan_release(struct guard_plan *self);

/* Returns the build id of the tables of the woven file with this path, or null if it is not among the builds. */
const uint8_t *guard_plan_build(const struct guard_plan *self, const char *path);

/* Whether `previous`, a place or nil, is in the belonging set of the place. Both are numbers as in content. */
bool guard_plan_allows(const struct guard_plan *self, uint32_t place, uint32_t previous);

#endif
