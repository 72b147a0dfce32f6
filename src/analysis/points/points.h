/*
 * points.h: what every pointer may point to, over the whole program at once: inclusion based (Andersen 1994), field
 * sensitive by byte offset, not sensitive to flow or calling context, with the call graph found on the way. Blocks of the heap
 * are distinguished by the call that made them; functions that only hand on what an allocator returns are allocators
 * themselves, so the blocks that they make are distinguished by the calls to them.
 *
 * A constant is added to a pointer into an array with care: where &a[i] was folded to the first element, &a[i] - 8 is an
 * element, too, although 8 bytes before the first there is none. So adding c to a location inside of an array gives both what
 * is c bytes further in the object, if there is such a place, and the place in an element that is c bytes further modulo the
 * element's size.
 *
 * What code outside the units does comes from the models (models.h). A function that is in neither is assumed to do
 * anything with what it is given, at once or later: what is passed to it is put into the object WHOLE_OUTSIDE, what it returns
 * comes from there, and functions that got there may be called by any call of such a function, with arguments from there.
 */
#ifndef ANALYSIS_POINTS_POINTS_H
#define ANALYSIS_POINTS_POINTS_H

#include "analysis/program/whole.h"
#include "base/err.h"

/* A location is one offset of one object, as whole_fold names it. Locations are numbered from 0. offset ==
 * POINTS_ANYWHERE: somewhere in the object. */
#define POINTS_ANYWHERE UINT64_MAX

struct points_location {
	uint32_t object;
	uint64_t offset;
};

/* A set of indexes, ascending. It belongs to the points. */
struct points_set {
	const uint32_t *items;
	uint32_t count;
};

struct points_options {
	/* Steps of propagation after which the rest is unified instead (Steensgaard 1996), which is reported; 0: no
	 * limit. */
	uint64_t budget;
	/* Where solving takes more than lump_steps, sets of lump_cells are too large (analysis/points/lump.c); 0: defaults. */
	uint64_t lump_steps;
	uint32_t lump_cells;
	/* Called now and then with a number from 0 to 1000; may be null. */
	void (*progress)(void *context, unsigned permille);
	void *progress_context;
};

struct points_statistics {
	uint64_t values, locations, constraints, steps, merged;
	uint32_t unified_functions; /* functions whose pointers were unified because the budget was over */
	uint32_t unknown_externals;
};

struct points;

/* Adds heap objects to whole. Returns 0 with *points set (points_free it), or -errno with err set. */
int points_solve(struct whole *whole, const struct points_options *options, struct points **points, struct err *err);
void points_free(struct points *points);

/* Locations that a value may be the address of. Those in constants without pointers (strings) and outside of their object
 * (&a[-1]) are left out. */
struct points_set points_of_value(const struct points *points, uint32_t value);
/* Locations whose address may be stored in a location. */
struct points_set points_of_location(const struct points *points, uint32_t location);
struct points_location points_location(const struct points *points, uint32_t location);
uint32_t points_location_count(const struct points *points);

/* Functions that a call instruction may call, defined or not; and, for calls of unknown or modelled functions that call
 * back, the functions that they may call on this thread before they return. */
struct points_set points_callees(const struct points *points, uint32_t call);
struct points_set points_callbacks(const struct points *points, uint32_t call);
/* Functions that a call of MODEL_CREATE, MODEL_PARALLEL, MODEL_HANDLER, MODEL_AT_EXIT or MODEL_ONCE makes run: in another thread,
 * at a signal, at the end, at once. */
struct points_set points_routines(const struct points *points, uint32_t call);
/* Functions that code outside may call at any time, in any thread: their address got there. */
struct points_set points_exposed(const struct points *points);
/* Whether the call may be of a function of which nothing is known. */
bool points_is_unknown(const struct points *points, uint32_t instruction);

/* The heap object that a call of an allocator makes, or WHOLE_NONE. A realloc both frees and makes. */
uint32_t points_made_by(const struct points *points, uint32_t call);

struct points_statistics points_statistics(const struct points *points);

#endif
