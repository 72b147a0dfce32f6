/*
 * lump.h: objects that stand for many, where objects, or functions, are in very large sets.
 */
#ifndef ANALYSIS_POINTS_LUMP_H
#define ANALYSIS_POINTS_LUMP_H

#include "analysis/points/set.h"
#include "analysis/points/table.h"

struct solver;

/* Of both: the object, and its only cell; NONE: there is none. Written by lump.c; read by all. */
struct lump {
	uint32_t object, cell;
};

struct crowd {
	uint32_t object, cell;
	struct set functions, calls, callbacks; /* members; what may call any of them */
	struct crowd_level *levels;             /* by the number of arguments of a call */
	bool is_outside;
};

void lump_init(struct lump *lump);
void crowd_init(struct crowd *crowd);
void crowd_release(struct crowd *crowd);

/* Between rounds: where solving takes long, objects in large sets become members of the lump, and such functions of the crowd. */
void lump_join_large(struct solver *solver);
/* The call, or callback, may call any function of the crowd, now and later; or code outside may. */
void crowd_add_call(struct solver *solver, uint32_t call);
void crowd_add_callback(struct solver *solver, uint32_t callback);
void crowd_expose(struct solver *solver);

#endif
