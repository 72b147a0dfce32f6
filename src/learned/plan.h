/*
 * plan.h: what is guarded in a program: the places that training data select, their belonging sets, and which sites of the builds that
 * are here they are.
 */
#ifndef LEARNED_PLAN_H
#define LEARNED_PLAN_H

#include "base/err.h"
#include "learned/bias.h"
#include "trace/guard.h"

/* Which of the places that two threads use are left out. */
struct guard_selection {
	bool is_biased;      /* groups with more than BIAS_PERCENT of the accesses (bias.h) */
	bool is_only_marked; /* places that the program did not mark */
};

struct guard_plan {
	struct guard_content content; /* for guard_make */
	/* By number of the place in it, from 1: as it is in the build, or in the training data if it is not there. */
	const struct learned_place **places;
	uint32_t *numbers; /* by the same: the number of the place in the training data */
	struct learned_builds builds;
	uint32_t checked_count, updated_count; /* places: with a set that is checked; that are only remembered */
	uint32_t idle_count;                   /* selected, but nobody's check depends on them */
	uint32_t missing_count;                /* selected, and not in these builds: */
	const struct learned_place **missing;  /* as they are in the training data */
	struct strings absent;                 /* paths of objects of the training data that cannot be used now */
};

/* program: its path. selection: null: none is left out. learned must stay until the plan is released, which it must be in any case. Returns 0, or a negative errno with err set: -ENOENT
 * when no file is woven or no place is marked, -ESTALE when none has any of the places, -E2BIG when there are too many. */
int guard_plan_make(struct guard_plan *self, const struct learned *learned, const char *program,
		    const struct guard_selection *selection, struct err *err);
void guard_plan_release(struct guard_plan *self);

/* The build id of the tables of an open file; null: it is not among the builds. */
const uint8_t *guard_plan_build(const struct guard_plan *self, const char *path);

/* Whether the set of a place has another, or nil. */
bool guard_plan_allows(const struct guard_plan *self, uint32_t place, uint32_t previous);

#endif
