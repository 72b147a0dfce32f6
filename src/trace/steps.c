/* steps.c: see steps.h. */
#include "trace/steps.h"

#include <stdlib.h>

#include "base/mem.h"

bool steps_take(struct steps *self, const struct heddle_channel *channel)
{
	uint32_t count = channel->reported_step_count;
	self->count = 0;
	for (uint32_t i = 0; i < count && i < HEDDLE_STEPS; i++)
		steps_add(self, &channel->reported_steps[i]);
	return !channel->lost_steps && count <= HEDDLE_STEPS;
}

void steps_add(struct steps *self, const struct heddle_step *step)
{
	if (self->count == self->room) {
		self->room = self->room ? 2 * self->room : 64;
		self->items = mem_resize(self->items, self->room * sizeof *self->items);
	}
	self->items[self->count++] = *step;
}

size_t steps_preemptions(const struct heddle_step *steps, size_t count)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		found += step_is_preemption(&steps[i]);
	return found;
}

size_t steps_early(const struct heddle_step *steps, size_t count)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		found += step_is_early(&steps[i]);
	return found;
}

void steps_release(struct steps *self)
{
	free(self->items);
	*self = (struct steps){ 0 };
}

/* A merge sort keeps what is equal in its order, which qsort does not promise. */
void steps_sort(struct heddle_step *steps, size_t count)
{
	struct heddle_step *other = mem_alloc((count + 1) * sizeof *other), *from = steps, *to = other;
	for (size_t width = 1; width < count; width *= 2) {
		for (size_t start = 0; start < count; start += 2 * width) {
			size_t middle = start + width < count ? start + width : count;
			size_t end = start + 2 * width < count ? start + 2 * width : count;
			for (size_t a = start, b = middle, at = start; at < end; at++)
				to[at] = a < middle && (b == end || from[a].thread <= from[b].thread) ? from[a++]
												      : from[b++];
		}
		struct heddle_step *swap = from;
		from = to;
		to = swap;
	}
	for (size_t i = 0; from != steps && i < count; i++)
		steps[i] = from[i];
	free(other);
}
