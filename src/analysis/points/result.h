/*
 * result.h: what others read (analysis/points/points.h).
 */
#ifndef ANALYSIS_POINTS_RESULT_H
#define ANALYSIS_POINTS_RESULT_H

struct points;
struct solver;

/* To be called when all is solved. Takes what it needs out of the state, which can only be released afterwards. The caller
 * frees the result with points_free. */
struct points *result_new(struct solver *solver);

#endif
