/* bias.c: see bias.h. */
#include "learned/bias.h"

#include <stdlib.h>

#include "base/mem.h"

/* The place that stands for the group; the way there is made shorter. */
static uint32_t find(uint32_t *parents, uint32_t place)
{
	while (parents[place] != place) {
		parents[place] = parents[parents[place]];
		place = parents[place];
	}
	return place;
}

static void join(uint32_t *parents, uint32_t a, uint32_t b)
{
	a = find(parents, a);
	b = find(parents, b);
	parents[a < b ? b : a] = a < b ? a : b;
}

static int compare(const void *a, const void *b)
{
	const struct bias_group *left = a, *right = b;
	if (left->accesses != right->accesses)
		return left->accesses > right->accesses ? -1 : 1;
	return (left->top > right->top) - (left->top < right->top);
}

/* roots: by place, what stands for its group, or 0. */
static void number_groups(struct bias *self, const struct learned *learned, const uint32_t *roots)
{
	uint32_t *numbers = mem_alloc(((size_t)learned->place_count + 1) * sizeof *numbers);
	for (size_t i = 0; i < self->group_count; i++)
		numbers[roots[self->groups[i].top]] = (uint32_t)i + 1;
	for (uint32_t place = 1; place <= learned->place_count; place++)
		self->group_of[place] = roots[place] ? numbers[roots[place]] : 0;
	free(numbers);
}

static void make_groups(struct bias *self, const struct learned *learned, const uint32_t *roots)
{
	size_t *at = mem_alloc(((size_t)learned->place_count + 1) * sizeof *at);
	for (uint32_t place = 1; place <= learned->place_count; place++) {
		const uint64_t accesses = learned->places[place - 1].accesses;
		if (!roots[place])
			continue;
		if (!at[roots[place]]) {
			self->groups[self->group_count++] = (struct bias_group){ .top = place };
			at[roots[place]] = self->group_count;
		}
		struct bias_group *group = &self->groups[at[roots[place]] - 1];
		group->place_count++;
		group->accesses += accesses;
		self->accesses += accesses;
		if (accesses > learned->places[group->top - 1].accesses)
			group->top = place;
	}
	free(at);
	for (size_t i = 0; i < self->group_count; i++)
		self->groups[i].is_left_out = (unsigned __int128)self->groups[i].accesses * 100 >
					      (unsigned __int128)self->accesses * BIAS_PERCENT;
	if (self->group_count)
		qsort(self->groups, self->group_count, sizeof *self->groups, compare);
}

void bias_find(struct bias *self, const struct learned *learned)
{
	const size_t room = (size_t)learned->place_count + 1;
	uint32_t *parents = mem_alloc(room * sizeof *parents);
	bool *is_shared = mem_alloc(room * sizeof *is_shared);
	*self = (struct bias){ .groups = mem_alloc(room * sizeof *self->groups),
			       .group_of = mem_alloc(room * sizeof *self->group_of) };
	for (uint32_t place = 1; place < room; place++)
		parents[place] = place;
	for (size_t i = 0; i < learned->history_count; i++) {
		const struct learned_history *history = &learned->histories[i];
		is_shared[history->place] |= history->count != 0;
		for (uint32_t k = 0; k < history->count; k++) {
			is_shared[history->places[k]] = true;
			join(parents, history->place, history->places[k]);
		}
	}
	for (uint32_t place = 1; place < room; place++)
		parents[place] = find(parents, place);
	parents[0] = 0;
	for (uint32_t place = 1; place < room; place++)
		if (!is_shared[place])
			parents[place] = 0;
	make_groups(self, learned, parents);
	number_groups(self, learned, parents);
	free(is_shared);
	free(parents);
}

void bias_release(struct bias *self)
{
	free(self->groups);
	free(self->group_of);
	*self = (struct bias){ 0 };
}

bool bias_leaves_out(const struct bias *self, uint32_t place)
{
	const uint32_t group = self->group_of[place];
	return group && self->groups[group - 1].is_left_out;
}
