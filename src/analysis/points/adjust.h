/*
 * adjust.h: calls by pointers to members.
 */
#ifndef ANALYSIS_POINTS_ADJUST_H
#define ANALYSIS_POINTS_ADJUST_H

#include "analysis/points/table.h"

struct solver;

struct adjust {
	uint32_t instruction;
	bool is_void; /* it may be another number */
};

/* What is assumed. Written and read by adjust.c. */
struct adjust_table {
	struct adjust *rows;
	uint32_t count, room;
};

void adjust_table_release(struct adjust_table *adjusts);

/* Whether the instruction, an OFFSET, moves `this` by a number from memory; then it is assumed to be zero. */
bool adjust_assume(struct solver *solver, uint32_t instruction);
/* When all is solved: whether it turned out that some are not, so that solving must go on. */
bool adjust_check(struct solver *solver);
/* Those that are zero become distances of zero in the program. */
void adjust_finish(const struct adjust_table *adjusts, struct whole *whole);

#endif
