/* orders.c: see orders.h. */
#include "analysis/races/orders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

#define MAX_STEPS 20000000u
#define MAX_CYCLES 1000u
#define COPIES 4u /* a root of many threads counts as that many: cycles of up to that many of its threads are found */

struct search {
	const struct flow *flow;
	struct orders *orders;
	struct map seen; /* the locks of a cycle -> 1 + its index */
	struct lock_edge *edges;
	uint32_t *order_of; /* edge -> order */
	size_t edge_count;
	struct map numbers; /* a lock -> its number */
	uint64_t **owned;   /* arrays of the edges */
	size_t owned_count;
};

/* A lock as one number: those that stand for several have other numbers than single ones. */
static uint64_t number_of(struct search *self, const struct flow_lock *lock)
{
	char key[64];
	snprintf(key, sizeof key, "%u %" PRIu32 " %" PRIu64, lock->kind, lock->object, lock->offset);
	uint64_t number = (uint64_t)(uintptr_t)map_get(&self->numbers, key);
	if (!number) {
		number = self->numbers.count + 1;
		map_set(&self->numbers, key, (void *)(uintptr_t)number);
	}
	return number;
}

static bool is_same(const struct flow_lock *a, const struct flow_lock *b)
{
	return a->kind == b->kind && a->object == b->object && a->offset == b->offset;
}

/* Gates: what is held besides, for certain and not for reading only, and is one lock. */
static size_t gates_of(struct search *self, const struct flow_order *order, uint64_t **gates)
{
	struct flow_locks locks = flow_locks(self->flow, order->locks);
	uint64_t *numbers = mem_alloc((locks.count + 1) * sizeof *numbers);
	size_t count = 0;
	for (uint32_t i = 0; i < locks.count; i++)
		if (locks.items[i].kind == FLOW_CONCRETE && !locks.items[i].is_shared &&
		    !is_same(&locks.items[i], &order->held) && !is_same(&locks.items[i], &order->taken))
			numbers[count++] = number_of(self, &locks.items[i]);
	*gates = numbers;
	return count;
}

/* The same locks, thread and gates again, from another place or context, close no other cycle. */
static bool is_new_edge(struct map *edges, const struct lock_edge *edge)
{
	struct buf key = { 0 };
	buf_format(&key, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %d%d", edge->thread, edge->from, edge->to,
		   edge->is_from_shared, edge->is_to_shared);
	for (size_t i = 0; i < edge->other_count; i++)
		buf_format(&key, " %" PRIu64, edge->others[i]);
	bool is_new = map_set(edges, key.data, NULL);
	buf_release(&key);
	return is_new;
}

static void add_edge(struct search *self, struct map *edges, uint32_t index, uint32_t thread)
{
	const struct flow_order *order = &flow_orders(self->flow)[index];
	struct lock_edge edge = {
		.thread = thread,
		.from = number_of(self, &order->held),
		.to = number_of(self, &order->taken),
		.is_from_shared = order->held.is_shared,
		.is_to_shared = order->taken.is_shared,
	};
	uint64_t *gates;
	edge.other_count = gates_of(self, order, &gates);
	edge.others = gates;
	if (!is_new_edge(edges, &edge)) {
		free(gates);
		return;
	}
	self->edges = mem_resize(self->edges, (self->edge_count + 1) * sizeof *self->edges);
	self->order_of = mem_resize(self->order_of, (self->edge_count + 1) * sizeof *self->order_of);
	self->owned = mem_resize(self->owned, (self->owned_count + 1) * sizeof *self->owned);
	self->owned[self->owned_count++] = gates;
	self->edges[self->edge_count] = edge;
	self->order_of[self->edge_count++] = index;
}

/* What leads nowhere, or comes from nowhere, is in no cycle: taken away until nothing changes. */
static void cut_ends(struct search *self)
{
	size_t lock_count = self->numbers.count + 1;
	uint32_t *in = mem_alloc(lock_count * sizeof *in), *out = mem_alloc(lock_count * sizeof *out);
	for (size_t before = self->edge_count + 1; self->edge_count < before;) {
		before = self->edge_count;
		memset(in, 0, lock_count * sizeof *in);
		memset(out, 0, lock_count * sizeof *out);
		for (size_t i = 0; i < before; i++) {
			out[self->edges[i].from]++;
			in[self->edges[i].to]++;
		}
		self->edge_count = 0;
		for (size_t i = 0; i < before; i++) {
			if (!in[self->edges[i].from] || !out[self->edges[i].to])
				continue;
			self->order_of[self->edge_count] = self->order_of[i];
			self->edges[self->edge_count++] = self->edges[i];
		}
	}
	free(in);
	free(out);
}

static bool may_overlap(const struct flow *flow, const struct flow_order *a, const struct flow_order *b)
{
	const struct flow_visit x = { .access = 0, .root = a->root, .locks = a->locks, .together = a->together };
	const struct flow_visit y = { .access = 0, .root = b->root, .locks = b->locks, .together = b->together };
	return flow_may_overlap(flow, &x, &y);
}

/* The same cycle is found from each of its edges and by other edges of the same locks. */
static struct orders_cycle *cycle_of(struct search *self, const uint64_t *locks, size_t size)
{
	struct buf key = { 0 };
	size_t least = 0;
	for (size_t i = 1; i < size; i++)
		least = locks[i] < locks[least] ? i : least;
	for (size_t i = 0; i < size; i++)
		buf_format(&key, " %" PRIu64, locks[(least + i) % size]);
	uintptr_t index = (uintptr_t)map_get(&self->seen, key.data);
	struct orders *orders = self->orders;
	if (!index) {
		orders->cycles = mem_resize(orders->cycles, (orders->cycle_count + 1) * sizeof *orders->cycles);
		orders->cycles[orders->cycle_count] = (struct orders_cycle){ .is_certain = true };
		index = ++orders->cycle_count;
		map_set(&self->seen, key.data, (void *)index);
	}
	buf_release(&key);
	return &orders->cycles[index - 1];
}

static void keep(struct search *self, struct orders_cycle *cycle, const uint32_t *indexes, size_t size)
{
	const struct flow_order *all = flow_orders(self->flow);
	if (cycle->variants++)
		return;
	cycle->edge_count = (uint32_t)size;
	for (size_t i = 0; i < size; i++) {
		cycle->edges[i] = indexes[i];
		cycle->is_certain &= all[indexes[i]].held.kind == FLOW_CONCRETE;
	}
}

static bool found(void *context, const size_t *path, size_t size)
{
	struct search *self = context;
	const struct flow_order *all = flow_orders(self->flow);
	uint64_t locks[LOCK_CYCLE_MAX] = { 0 };
	uint32_t indexes[LOCK_CYCLE_MAX];
	for (size_t i = 0; i < size; i++) {
		indexes[i] = self->order_of[path[i]];
		locks[i] = self->edges[path[i]].from;
		for (size_t j = 0; j < i; j++)
			if (!may_overlap(self->flow, &all[indexes[i]], &all[indexes[j]]))
				return true;
	}
	keep(self, cycle_of(self, locks, size), indexes, size);
	self->orders->is_cut |= self->orders->cycle_count >= MAX_CYCLES;
	return !self->orders->is_cut;
}

/* Whether two threads may be there at once: threads of one root that has many, or of another one that does the same. */
static bool is_met(struct search *self, uint32_t index)
{
	const struct flow_order *all = flow_orders(self->flow);
	for (uint32_t i = 0; i < flow_order_count(self->flow); i++)
		if (is_same(&all[i].held, &all[index].held) && is_same(&all[i].taken, &all[index].held) &&
		    may_overlap(self->flow, &all[i], &all[index]))
			return true;
	return false;
}

/* One lock of a kind while another one of the same kind is held: two threads may do it the other way round. */
static void find_kinds(struct search *self)
{
	const struct flow_order *all = flow_orders(self->flow);
	for (uint32_t i = 0; i < flow_order_count(self->flow); i++) {
		if (all[i].held.kind != FLOW_CLASS || !is_same(&all[i].held, &all[i].taken) ||
		    (all[i].held.is_shared && all[i].taken.is_shared) || !is_met(self, i))
			continue;
		uint64_t lock = number_of(self, &all[i].held);
		keep(self, cycle_of(self, &lock, 1), &i, 1);
	}
}

static int compare(const void *a, const void *b)
{
	const struct orders_cycle *x = a, *y = b;
	if (x->is_certain != y->is_certain)
		return y->is_certain - x->is_certain;
	if (x->edge_count != y->edge_count)
		return x->edge_count < y->edge_count ? -1 : 1;
	return x->edges[0] < y->edges[0] ? -1 : x->edges[0] > y->edges[0];
}

struct orders *orders_find(const struct flow *flow)
{
	struct search self = { .flow = flow, .orders = mem_alloc(sizeof(struct orders)) };
	struct map edges = { 0 };
	for (uint32_t i = 0; i < flow_order_count(flow); i++) {
		const struct flow_order *order = &flow_orders(flow)[i];
		if (is_same(&order->held, &order->taken))
			continue;
		uint32_t copies = flow_root(flow, order->root)->is_many ? COPIES : 1;
		for (uint32_t copy = 0; copy < copies; copy++)
			add_edge(&self, &edges, i, order->root * COPIES + copy);
	}
	cut_ends(&self);
	if (self.edge_count && !lock_graph_cycles(self.edges, self.edge_count, MAX_STEPS, found, &self))
		self.orders->is_cut = true;
	find_kinds(&self);
	if (self.orders->cycle_count)
		qsort(self.orders->cycles, self.orders->cycle_count, sizeof *self.orders->cycles, compare);
	for (size_t i = 0; i < self.owned_count; i++)
		free(self.owned[i]);
	free(self.owned);
	free(self.edges);
	free(self.order_of);
	map_release(&edges);
	map_release(&self.seen);
	map_release(&self.numbers);
	return self.orders;
}

void orders_free(struct orders *orders)
{
	if (orders)
		free(orders->cycles);
	free(orders);
}
