/*
 * modelled.h: calls of functions that are not defined but have a model (analysis/models), and what those call back.
 */
#ifndef ANALYSIS_POINTS_MODELLED_H
#define ANALYSIS_POINTS_MODELLED_H

#include "analysis/models/models.h"
#include "analysis/points/set.h"

struct node_table;
struct solver;
struct whole;

/* A function is called by one that is not analysed: its parameter gets a value. */
enum callback_kind {
	CALLBACK_NOW,     /* before the call returns */
	CALLBACK_ROUTINE, /* in a thread, at a signal, at the end */
	CALLBACK_LATER,   /* when a RUN of the place is called */
};

struct callback {
	uint8_t kind; /* enum callback_kind */
	uint8_t place;
	uint32_t call;
	uint32_t parameter; /* which one gets the node */
	uint32_t node;      /* or NONE */
	uint32_t spread;    /* not 0: the parameters after it get the call's arguments from this one on */
	uint32_t result;    /* node that gets what it returns, or NONE */
};

/* What functions of the models keep between calls. Written by modelled.c; adjust.c and result.c read the functions. */
struct places {
	uint32_t nodes[MODEL_PLACE_COUNT];
	struct set functions[MODEL_PLACE_COUNT];
	uint32_t thread_results; /* node */
	uint32_t *static_object; /* by function that is not defined: MODEL_STATIC */
	struct callback *callbacks;
	uint32_t callback_count, callback_room;
};

void places_init(struct places *places, struct node_table *nodes, const struct whole *whole);
void places_release(struct places *places);

/* The call calls a function that is not defined and has this model. */
void modelled_call(struct solver *solver, uint32_t call, uint32_t function, const struct model *model);
/* Functions that the node points to are called by MODEL_RUN of the place. */
void callback_from(struct solver *solver, uint32_t node, uint8_t place);
/* The callback calls the function. */
void callback_resolve(struct solver *solver, uint32_t callback, uint32_t function);

#endif
