/*
 * vector.h: vector clocks. A slot stands for a thread, or for several threads each of which is ordered after the one
 * before; a clock counts the releases of a slot. A slot's clock in a vector means that everything the slot did up to and at
 * this clock is ordered before.
 */
#ifndef DETECT_VECTOR_H
#define DETECT_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

struct vector {
	uint32_t *clocks; /* by slot; those from count on are 0 */
	uint32_t count, room;
};

static inline uint32_t vector_at(const struct vector *vector, uint32_t slot)
{
	return slot < vector->count ? vector->clocks[slot] : 0;
}

void vector_set(struct vector *vector, uint32_t slot, uint32_t clock);
/* The later of the two, for each slot. */
void vector_join(struct vector *vector, const struct vector *other);
void vector_copy(struct vector *vector, const struct vector *other);
void vector_clear(struct vector *vector);
void vector_release(struct vector *vector);

#endif
