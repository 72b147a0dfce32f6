/* lock_graph.c: see lock_graph.h. */
#include "model/lock_graph.h"

struct search {
	const struct lock_edge *edges;
	size_t count;
	uint64_t steps_left;
	bool (*found)(void *context, const size_t *cycle, size_t size);
	void *context;
	size_t path[LOCK_CYCLE_MAX];
	size_t size;
	bool is_over;
};

static bool has(const struct lock_edge *edge, uint64_t lock)
{
	if (edge->from == lock)
		return true;
	for (size_t i = 0; i < edge->other_count; i++)
		if (edge->others[i] == lock)
			return true;
	return false;
}

/* A lock that both have: then one waits for the other before it comes to the cycle. Readers have it together. */
static bool has_gate(const struct lock_edge *a, const struct lock_edge *b)
{
	if (has(b, a->from) && !(b->from == a->from && a->is_from_shared && b->is_from_shared))
		return true;
	for (size_t i = 0; i < a->other_count; i++)
		if (has(b, a->others[i]))
			return true;
	return false;
}

static bool is_before(const struct lock_edge *a, const struct lock_edge *b)
{
	for (size_t i = 0; i < b->before_count; i++)
		if (b->before[i].slot == a->when.slot)
			return a->when.clock <= b->before[i].clock;
	return false;
}

/* Whether the thread of the first edge waits for the thread of the second. */
static bool waits_for(const struct lock_edge *a, const struct lock_edge *b)
{
	return a->to == b->from && !(a->is_to_shared && b->is_from_shared);
}

static bool fits(const struct search *self, const struct lock_edge *edge)
{
	if (edge->thread <= self->edges[self->path[0]].thread)
		return false;
	for (size_t i = 0; i < self->size; i++) {
		const struct lock_edge *other = &self->edges[self->path[i]];
		if (other->thread == edge->thread || has_gate(other, edge) || is_before(other, edge) ||
		    is_before(edge, other))
			return false;
	}
	return true;
}

static void extend(struct search *self)
{
	const struct lock_edge *last = &self->edges[self->path[self->size - 1]];
	if (self->size > 1 && waits_for(last, &self->edges[self->path[0]])) {
		self->is_over = !self->found(self->context, self->path, self->size);
		return;
	}
	for (size_t i = 0; i < self->count && self->size < LOCK_CYCLE_MAX && !self->is_over; i++) {
		if (self->steps_left == 0) {
			self->is_over = true;
			return;
		}
		self->steps_left--;
		if (!waits_for(last, &self->edges[i]) || !fits(self, &self->edges[i]))
			continue;
		self->path[self->size++] = i;
		extend(self);
		self->size--;
	}
}

bool lock_graph_cycles(const struct lock_edge *edges, size_t count, uint64_t step_limit,
		       bool (*found)(void *context, const size_t *cycle, size_t size), void *context)
{
	struct search self = {
		.edges = edges, .count = count, .steps_left = step_limit, .found = found, .context = context
	};
	for (size_t i = 0; i < count && !self.is_over; i++) {
		self.path[0] = i;
		self.size = 1;
		extend(&self);
	}
	return self.steps_left > 0;
}
