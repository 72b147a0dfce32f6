/* vector.c: see vector.h. */
#include "detect/vector.h"

#include <string.h>

#include "detect/pool.h"

#define FIRST_ROOM 4u

static void grow(struct vector *vector, uint32_t count)
{
	uint32_t room = vector->room ? vector->room : FIRST_ROOM;
	while (room < count)
		room *= 2;
	if (room > vector->room) {
		vector->clocks =
			pool_grow(vector->clocks, vector->room * sizeof *vector->clocks, room * sizeof *vector->clocks);
		vector->room = room;
	}
	for (uint32_t i = vector->count; i < count; i++)
		vector->clocks[i] = 0;
	if (count > vector->count)
		vector->count = count;
}

void vector_set(struct vector *vector, uint32_t slot, uint32_t clock)
{
	if (slot >= vector->count)
		grow(vector, slot + 1);
	vector->clocks[slot] = clock;
}

void vector_join(struct vector *vector, const struct vector *other)
{
	if (other->count > vector->count)
		grow(vector, other->count);
	for (uint32_t i = 0; i < other->count; i++)
		if (other->clocks[i] > vector->clocks[i])
			vector->clocks[i] = other->clocks[i];
}

void vector_copy(struct vector *vector, const struct vector *other)
{
	vector->count = 0;
	if (!other->count)
		return;
	if (other->count > vector->room)
		grow(vector, other->count);
	vector->count = other->count;
	memcpy(vector->clocks, other->clocks, other->count * sizeof *other->clocks);
}

void vector_clear(struct vector *vector)
{
	vector->count = 0;
}

void vector_release(struct vector *vector)
{
	if (vector->room)
		pool_give(vector->clocks, vector->room * sizeof *vector->clocks);
	*vector = (struct vector){ 0 };
}
