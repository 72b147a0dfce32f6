/* number.h: the arithmetic of strides and arrays. */
#ifndef ANALYSIS_POINTS_NUMBER_H
#define ANALYSIS_POINTS_NUMBER_H

#include <stdint.h>

/* The other number if one is 0. */
static inline uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* From 0 to b - 1, also for a negative a. */
static inline int64_t modulo(int64_t a, int64_t b)
{
	int64_t rest = a % b;
	return rest < 0 ? rest + b : rest;
}

#endif
