/* lock_cycle.c: see lock_cycle.h. */
#include "explore/lock_cycle.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct lock_cycle *lock_cycles_add(struct lock_cycles *self)
{
	self->items = mem_resize(self->items, (self->count + 1) * sizeof(struct lock_cycle *));
	return self->items[self->count++] = mem_alloc(sizeof(struct lock_cycle));
}

void lock_cycles_release(struct lock_cycles *self)
{
	for (size_t i = 0; i < self->count; i++)
		free(self->items[i]);
	free(self->items);
	*self = (struct lock_cycles){ 0 };
}

void lock_cycle_add(struct lock_cycle *self, const struct heddle_lock_pair *pairs, uint32_t count)
{
	for (uint32_t i = 0; i < self->form_count; i++)
		if (self->pair_counts[i] == count && memcmp(self->pairs[i], pairs, count * sizeof *pairs) == 0)
			return;
	if (self->form_count == LOCK_CYCLE_FORMS || count > HEDDLE_LOCK_PAIRS)
		return;
	memcpy(self->pairs[self->form_count], pairs, count * sizeof *pairs);
	self->pair_counts[self->form_count++] = count;
}
