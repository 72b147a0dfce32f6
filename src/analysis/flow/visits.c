/*
 * visits.c: what comes out of the walk. Each access of each context, with the locks as seen from its address: those that
 * are one lock of the program, those that are a distance from the address, and those of which only the kind is known. A lock in
 * the same object as the access, where both are known, is there twice: as itself and by its distance.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/flow_priv.h"
#include "base/mem.h"

/* A row of the table of locks without what only people read. */
struct row_key {
	uint32_t kind, is_shared, object, zero;
	uint64_t offset;
	int64_t distance;
};

static uint32_t add_row(struct flow *flow, struct flow_lock lock)
{
	struct row_key key = { .kind = lock.kind,
			       .is_shared = lock.is_shared,
			       .object = lock.object,
			       .offset = lock.offset,
			       .distance = lock.distance };
	uint32_t number = flow_interned_add(&flow->visits.row_keys, &key, sizeof key / sizeof(uint32_t));
	if (number < flow->visits.lock_row_count)
		return number;
	flow->visits.lock_rows = flow_grow(flow->visits.lock_rows, flow->visits.lock_row_count,
					   &flow->visits.lock_row_room, sizeof *flow->visits.lock_rows);
	flow->visits.lock_rows[flow->visits.lock_row_count++] = lock;
	return number;
}

/* The lock as far as it is known without an access. */
static struct flow_lock describe(const struct flow *flow, uint32_t number)
{
	struct lock lock = flow_lock_row(flow, number);
	uint32_t count,
		call = number < flow->lock_sets.taken_at.count ? flow->lock_sets.taken_at.items[number] : WHOLE_NONE;
	const uint32_t *pointees = flow_interned_row(&flow->lock_sets.pointees, lock.pointees, &count);
	struct flow_lock row = { .kind = FLOW_CLASS, .is_shared = lock.is_shared, .object = WHOLE_NONE };
	row.call = call;
	row.place = call == WHOLE_NONE ? WHOLE_NONE : flow->program.whole->instruction[call].place;
	if (flow_lock_is_concrete(flow, &lock)) {
		row.kind = FLOW_CONCRETE;
		row.object = flow_node(flow, lock.node).index;
		row.offset = (uint64_t)lock.offset;
	} else if (count) {
		struct points_location at = points_location(flow->program.points, pointees[0]);
		row.object = at.object;
		row.offset = at.offset;
	}
	if (row.object != WHOLE_NONE)
		row.name = flow->program.whole->object[row.object].name;
	return row;
}

/* The set of rows for locks as seen from a path; NODE_NONE: from nowhere. */
static uint32_t see_locks(struct flow *flow, uint32_t set, struct path path)
{
	uint32_t key[4] = { set, path.node, (uint32_t)path.offset, (uint32_t)((uint64_t)path.offset >> 32) };
	uint32_t number = flow_interned_add(&flow->visits.seen_locks, key, 4);
	if (number < flow->visits.seen_sets.count)
		return flow->visits.seen_sets.items[number];
	struct flow_ids rows = { 0 };
	for (uint32_t i = 0; i < flow_locks_count(flow, set); i++) {
		uint32_t item = flow_locks_item(flow, set, i);
		struct lock lock = flow_lock_row(flow, item);
		if (lock.pending != LOCK_NOT_PENDING)
			continue;
		struct flow_lock row = describe(flow, item);
		bool is_relative = lock.node != NODE_NONE && lock.node == path.node;
		if (row.kind == FLOW_CONCRETE || !is_relative)
			flow_ids_add(&rows, add_row(flow, row));
		if (is_relative) {
			row.kind = FLOW_RELATIVE;
			row.distance = lock.offset - path.offset;
			flow_ids_add(&rows, add_row(flow, row));
		}
	}
	uint32_t count = 0;
	for (uint32_t i = 0; i < rows.count; i++) {
		uint32_t k = 0;
		while (k < count && rows.items[k] != rows.items[i])
			k++;
		if (k == count)
			rows.items[count++] = rows.items[i];
	}
	uint32_t seen = flow_interned_add(&flow->visits.row_sets, rows.items, count);
	flow_ids_release(&rows);
	flow_ids_add(&flow->visits.seen_sets, seen);
	return seen;
}

/* ---- one block of one context ---- */

/* What holds before each call of a block, and at its end. */
struct moment {
	uint32_t locks, together;
};

struct collecting {
	struct flow *flow;
	uint32_t context;
	uint64_t *set; /* scratch */
	struct moment *moments;
	uint32_t moment_room, count;
};

static uint32_t together_of(struct collecting *c, const uint64_t *started)
{
	struct flow *flow = c->flow;
	memcpy(c->set, started, flow->threads.words * sizeof *started);
	flow_bits_add(c->set, flow_row(flow, flow->alive.concurrent_roots, flow->walk.contexts[c->context].root),
		      flow->threads.words);
	return flow_interned_add(&flow->visits.root_sets, c->set, flow->threads.words * 2);
}

static void add_moment(struct collecting *c, uint32_t together)
{
	c->moments = flow_grow(c->moments, c->count, &c->moment_room, sizeof *c->moments);
	c->moments[c->count++].together = together;
}

static void collect_alive(void *context, uint32_t call, const uint64_t *set)
{
	if (call != WHOLE_NONE)
		add_moment(context, together_of(context, set));
}

static void add_order(struct flow *flow, const struct flow_context *context, const struct flow_call *call,
		      struct moment at)
{
	uint8_t sync = call->model ? call->model->sync : MODEL_SYNC_NONE;
	uint32_t pointer = sync == MODEL_LOCK || sync == MODEL_LOCK_SHARED
				   ? flow_argument(flow, call->instruction, call->model->object)
				   : WHOLE_NONE;
	if (pointer == WHOLE_NONE || !call->is_certain)
		return;
	struct lock taken = flow_lock_of(flow, pointer);
	taken.is_shared = sync == MODEL_LOCK_SHARED;
	uint32_t number = flow_lock_number(flow, taken);
	struct flow_lock row = describe(flow, number);
	row.call = call->instruction;
	row.place = flow->program.whole->instruction[call->instruction].place;
	uint32_t taken_row = add_row(flow, row);
	struct path nowhere = { NODE_NONE, 0 };
	uint32_t locks = see_locks(flow, flow_locks_without_done(flow, at.locks), nowhere), count;
	flow_interned_row(&flow->visits.row_sets, locks, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t held_row = flow_interned_row(&flow->visits.row_sets, locks, NULL)[i];
		uint32_t key[4] = { held_row, taken_row, context->root, call->instruction };
		uint32_t known = flow->visits.order_keys.count;
		if (flow_interned_add(&flow->visits.order_keys, key, 4) != known)
			continue;
		flow->visits.orders = flow_grow(flow->visits.orders, flow->visits.order_count, &flow->visits.order_room,
						sizeof *flow->visits.orders);
		flow->visits.orders[flow->visits.order_count++] =
			(struct flow_order){ .held = flow->visits.lock_rows[held_row],
					     .taken = row,
					     .root = context->root,
					     .call = call->instruction,
					     .locks = locks,
					     .together = at.together };
	}
}

static void add_frees(struct flow *flow, const struct flow_context *context, uint32_t call, struct moment at)
{
	struct points_set callees = points_callees(flow->program.points, call);
	for (uint32_t i = 0; i < callees.count; i++) {
		const struct model *model = flow->program.models[callees.items[i]];
		if (!model || !model->frees)
			continue;
		struct flow_free row = { call, (uint32_t)model->frees - 1, context->root, at.together };
		uint32_t known = flow->visits.free_keys.count;
		if (flow_interned_add(&flow->visits.free_keys, &row, sizeof row / sizeof(uint32_t)) != known)
			continue;
		flow->visits.frees =
			flow_grow(flow->visits.frees, known, &flow->visits.free_room, sizeof *flow->visits.frees);
		flow->visits.frees[known] = row;
	}
}

static void add_visits(struct flow *flow, uint32_t root, const struct whole_instruction *row, struct moment at)
{
	for (uint32_t a = 0; a < row->access_count; a++) {
		uint32_t pointer = flow->program.whole->access[row->first_access + a].pointer;
		struct path path = { NODE_NONE, 0 };
		if (pointer != WHOLE_NONE && at.locks != LOCKS_NONE)
			path = flow_path(flow, pointer);
		flow->visits.rows =
			flow_grow(flow->visits.rows, flow->visits.count, &flow->visits.room, sizeof *flow->visits.rows);
		flow->visits.rows[flow->visits.count++] = (struct flow_visit){ .access = row->first_access + a,
									       .root = root,
									       .locks = see_locks(flow, at.locks, path),
									       .together = at.together };
	}
}

static void collect_block(struct collecting *c, uint32_t block, const uint64_t *entry, uint64_t *set)
{
	struct flow *flow = c->flow;
	const struct flow_context context = flow->walk.contexts[c->context];
	const struct flow_body *body = &flow->program.bodies[context.function];
	const struct whole_block *row =
		&flow->program.whole->block[flow->program.whole->function[context.function].first_block + block];
	uint32_t locks = context.blocks[block], first = body->first_call[block];
	if (locks == LOCKS_UNREACHED || !flow_alive_at(flow, context.function, block, entry, set))
		return;
	c->count = 0;
	if (flow_alive_block(flow, context.function, block, set, collect_alive, c))
		add_moment(c, together_of(c, set));
	uint32_t number = 0;
	for (uint32_t i = 0; i < row->instruction_count && number < c->count && locks != LOCKS_UNREACHED; i++) {
		const struct whole_instruction *at = &flow->program.whole->instruction[row->first_instruction + i];
		c->moments[number].locks = locks;
		add_visits(flow, context.root, at, c->moments[number]);
		if (at->op != WHOLE_CALL)
			continue;
		add_order(flow, &context, &flow->program.calls[first + number], c->moments[number]);
		add_frees(flow, &context, row->first_instruction + i, c->moments[number]);
		locks = flow_walk_call(flow, c->context, first + number, locks);
		number++;
	}
}

/* ---- all of them ---- */

static int compare_visits(const void *a, const void *b)
{
	const struct flow_visit *left = a, *right = b;
	if (left->access != right->access)
		return left->access < right->access ? -1 : 1;
	return memcmp(left, right, sizeof *left);
}

static void sort_visits(struct flow *flow)
{
	uint32_t count = 0, next = 0;
	if (flow->visits.count)
		qsort(flow->visits.rows, flow->visits.count, sizeof *flow->visits.rows, compare_visits);
	for (uint32_t i = 0; i < flow->visits.count; i++)
		if (!count ||
		    memcmp(&flow->visits.rows[count - 1], &flow->visits.rows[i], sizeof *flow->visits.rows) != 0)
			flow->visits.rows[count++] = flow->visits.rows[i];
	flow->visits.count = count;
	flow->visits.first = mem_alloc(((size_t)flow->program.whole->access_count + 1) * sizeof *flow->visits.first);
	for (uint32_t a = 0; a <= flow->program.whole->access_count; a++) {
		while (next < count && flow->visits.rows[next].access < a)
			next++;
		flow->visits.first[a] = next;
	}
}

static void lay_out_sets(struct flow *flow)
{
	flow->visits.set_first = mem_alloc(((size_t)flow->visits.row_sets.count + 1) * sizeof *flow->visits.set_first);
	flow->visits.set_rows =
		mem_alloc(((size_t)flow->visits.row_sets.word_count + 1) * sizeof *flow->visits.set_rows);
	uint32_t next = 0;
	for (uint32_t s = 0; s < flow->visits.row_sets.count; s++) {
		uint32_t count;
		const uint32_t *rows = flow_interned_row(&flow->visits.row_sets, s, &count);
		flow->visits.set_first[s] = next;
		for (uint32_t i = 0; i < count; i++)
			flow->visits.set_rows[next++] = flow->visits.lock_rows[rows[i]];
	}
	flow->visits.set_first[flow->visits.row_sets.count] = next;
}

void flow_visits_make(struct flow *flow)
{
	struct collecting c = { .flow = flow, .set = mem_alloc(flow->threads.words * sizeof(uint64_t)) };
	uint64_t *set = mem_alloc(flow->threads.words * sizeof *set);
	for (c.context = 0; c.context < flow->walk.context_count; c.context++) {
		const struct flow_context *context = &flow->walk.contexts[c.context];
		if (!context->is_live || context->crowd != WHOLE_NONE)
			continue;
		const struct flow_body *body = &flow->program.bodies[context->function];
		const uint64_t *entry = context->alive;
		for (uint32_t i = 0; i < body->reached; i++)
			collect_block(&c, body->order[i], entry, set);
	}
	sort_visits(flow);
	lay_out_sets(flow);
	free(c.set);
	free(c.moments);
	free(set);
}

void flow_visits_release(struct flow *flow)
{
	flow_interned_release(&flow->visits.root_sets);
	flow_interned_release(&flow->visits.seen_locks);
	flow_interned_release(&flow->visits.row_sets);
	flow_interned_release(&flow->visits.row_keys);
	flow_interned_release(&flow->visits.order_keys);
	flow_interned_release(&flow->visits.free_keys);
	free(flow->visits.frees);
	flow_ids_release(&flow->visits.seen_sets);
	free(flow->visits.lock_rows);
	free(flow->visits.set_rows);
	free(flow->visits.set_first);
	free(flow->visits.rows);
	free(flow->visits.first);
	free(flow->visits.orders);
}
