/* draw.h: random numbers for planners: the same for the same seed everywhere. */
#ifndef EXPLORE_DRAW_H
#define EXPLORE_DRAW_H

#include <stdint.h>

/* SplitMix64: any initial state is valid. */
static inline uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ul;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
	z = (z ^ z >> 27) * 0x94d049bb133111ebul;
	return z ^ z >> 31;
}

/* Less than bound, which is not 0. */
static inline uint64_t draw_below(uint64_t *state, uint64_t bound)
{
	return (uint64_t)((unsigned __int128)draw(state) * bound >> 64);
}

#endif
