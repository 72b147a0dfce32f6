/*
 * result.h: what others read (analysis/points/points.h).
 */
#ifndef ANALYSIS_POINTS_RESULT_H
#define ANALYSIS_POINTS_RESULT_H

struct points;
struct solver;

/* Made when all is solved. It takes what it needs out of the state, which is good for nothing but to be released then. Free it with
 * points_free. */
struct points *result_new(struct solver *solver);

#endif
