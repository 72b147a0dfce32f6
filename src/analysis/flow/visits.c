/*
 * visits.c: the results of the walk. Each access of each context, with the locks as seen from its address: those that
 * are one lock of the program, those that are a distance from the address, and those of which only the kind is known. A lock in
 * the same object as the access, where both are known, is listed twice: as itself and by its distance.
 * Input: struct flow_visits_input. Result: struct flow_visits.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/alive.h"
#include "analysis/flow/locks.h"
#include "analysis/flow/once.h"
#include "analysis/flow/program.h"
#include "analysis/flow/threads.h"
#include "analysis/flow/visits.h"
#include "analysis/flow/walk.h"
#include "base/err.h"
#include "base/mem.h"

/* A row of the table of locks without what only people read. */
struct row_key {
	uint32_t kind, is_shared, object, zero;
	uint64_t offset;
	int64_t distance;
};

static uint32_t add_row(struct flow_visits *visits, struct flow_lock lock)
{
	struct row_key key = { .kind = lock.kind,
			       .is_shared = lock.is_shared,
			       .object = lock.object,
			       .offset = lock.offset,
			       .distance = lock.distance };
	uint32_t number = flow_interned_add(&visits->row_keys, &key, sizeof key / sizeof(uint32_t));
	if (number < visits->lock_row_count)
		return number;
	visits->lock_rows =
		flow_grow(visits->lock_rows, visits->lock_row_count, &visits->lock_row_room, sizeof *visits->lock_rows);
	visits->lock_rows[visits->lock_row_count++] = lock;
	return number;
}

/* The lock as far as it is known without an access. */
static struct flow_lock describe(const struct flow_lock_sets *lock_sets, uint32_t number)
{
	const struct flow_program *program = lock_sets->in.program;
	const struct flow_paths *paths = lock_sets->in.paths;
	struct lock lock = flow_lock_row(lock_sets, number);
	uint32_t count, call = number < lock_sets->taken_at.count ? lock_sets->taken_at.items[number] : WHOLE_NONE;
	const uint32_t *pointees = flow_interned_row(&lock_sets->pointees, lock.pointees, &count);
	struct flow_lock row = { .kind = FLOW_CLASS, .is_shared = lock.is_shared, .object = WHOLE_NONE };
	row.call = call;
	row.place = call == WHOLE_NONE ? WHOLE_NONE : program->whole->instruction[call].place;
	if (flow_lock_is_concrete(paths, &lock)) {
		row.kind = FLOW_CONCRETE;
		row.object = flow_node(paths, lock.node).index;
		row.offset = (uint64_t)lock.offset;
	} else if (count) {
		struct points_location at = points_location(program->points, pointees[0]);
		row.object = at.object;
		row.offset = at.offset;
	}
	if (row.object != WHOLE_NONE)
		row.name = program->whole->object[row.object].name;
	return row;
}

/* The set of rows for locks as seen from a path; NODE_NONE: from nowhere. */
static uint32_t see_locks(struct flow_visits *visits, uint32_t set, struct path path)
{
	const struct flow_lock_sets *lock_sets = visits->in.lock_sets;
	uint32_t key[4] = { set, path.node, (uint32_t)path.offset, (uint32_t)((uint64_t)path.offset >> 32) };
	uint32_t number = flow_interned_add(&visits->seen_locks, key, 4);
	if (number < visits->seen_sets.count)
		return visits->seen_sets.items[number];
	struct flow_ids rows = { 0 };
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		uint32_t item = flow_locks_item(lock_sets, set, i);
		struct lock lock = flow_lock_row(lock_sets, item);
		if (lock.pending != LOCK_NOT_PENDING)
			continue;
		struct flow_lock row = describe(lock_sets, item);
		bool is_relative = lock.node != NODE_NONE && lock.node == path.node;
		if (row.kind == FLOW_CONCRETE || !is_relative)
			flow_ids_add(&rows, add_row(visits, row));
		if (is_relative) {
			row.kind = FLOW_RELATIVE;
			row.distance = lock.offset - path.offset;
			flow_ids_add(&rows, add_row(visits, row));
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
	uint32_t seen = flow_interned_add(&visits->row_sets, rows.items, count);
	flow_ids_release(&rows);
	flow_ids_add(&visits->seen_sets, seen);
	return seen;
}

/* ---- one block of one context ---- */

/* What holds before each call of a block, and at its end. */
struct moment {
	uint32_t locks, together;
};

struct collecting {
	struct flow_visits *visits;
	uint32_t context;
	uint64_t *set; /* scratch */
	struct moment *moments;
	uint32_t moment_room, count;
};

static uint32_t together_of(struct collecting *c, const uint64_t *started)
{
	const struct flow_threads *threads = c->visits->in.threads;
	memcpy(c->set, started, threads->words * sizeof *started);
	flow_bits_add(
		c->set,
		flow_row(threads, c->visits->in.alive->concurrent_roots, c->visits->in.walk->contexts[c->context].root),
		threads->words);
	return flow_interned_add(&c->visits->root_sets, c->set, threads->words * 2);
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

static void add_order(struct flow_visits *visits, const struct flow_context *context, const struct flow_call *call,
		      struct moment at)
{
	const struct flow_program *program = visits->in.program;
	struct flow_lock_sets *lock_sets = visits->in.lock_sets;
	uint8_t sync = call->model ? call->model->sync : MODEL_SYNC_NONE;
	uint32_t pointer = sync == MODEL_LOCK || sync == MODEL_LOCK_SHARED
				   ? flow_argument(program, call->instruction, call->model->object)
				   : WHOLE_NONE;
	if (pointer == WHOLE_NONE || !call->is_certain)
		return;
	struct lock taken = flow_lock_of(lock_sets, pointer);
	taken.is_shared = sync == MODEL_LOCK_SHARED;
	uint32_t number = flow_lock_number(lock_sets, taken);
	struct flow_lock row = describe(lock_sets, number);
	row.call = call->instruction;
	row.place = program->whole->instruction[call->instruction].place;
	uint32_t taken_row = add_row(visits, row);
	struct path nowhere = { NODE_NONE, 0 };
	uint32_t locks = see_locks(visits, flow_locks_without_done(lock_sets, at.locks), nowhere), count;
	flow_interned_row(&visits->row_sets, locks, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t held_row = flow_interned_row(&visits->row_sets, locks, NULL)[i];
		uint32_t key[4] = { held_row, taken_row, context->root, call->instruction };
		uint32_t known = visits->order_keys.count;
		if (flow_interned_add(&visits->order_keys, key, 4) != known)
			continue;
		visits->orders =
			flow_grow(visits->orders, visits->order_count, &visits->order_room, sizeof *visits->orders);
		visits->orders[visits->order_count++] = (struct flow_order){ .held = visits->lock_rows[held_row],
									     .taken = row,
									     .root = context->root,
									     .call = call->instruction,
									     .locks = locks,
									     .together = at.together };
	}
}

static void add_frees(struct flow_visits *visits, const struct flow_context *context, uint32_t call, struct moment at)
{
	const struct flow_program *program = visits->in.program;
	struct points_set callees = points_callees(program->points, call);
	for (uint32_t i = 0; i < callees.count; i++) {
		const struct model *model = program->models[callees.items[i]];
		if (!model || !model->frees)
			continue;
		struct flow_free row = { call, (uint32_t)model->frees - 1, context->root, at.together };
		uint32_t known = visits->free_keys.count;
		if (flow_interned_add(&visits->free_keys, &row, sizeof row / sizeof(uint32_t)) != known)
			continue;
		visits->frees = flow_grow(visits->frees, known, &visits->free_room, sizeof *visits->frees);
		visits->frees[known] = row;
	}
}

static void add_visits(struct flow_visits *visits, uint32_t root, const struct whole_instruction *row, struct moment at)
{
	for (uint32_t a = 0; a < row->access_count; a++) {
		uint32_t pointer = visits->in.program->whole->access[row->first_access + a].pointer;
		struct path path = { NODE_NONE, 0 };
		if (pointer != WHOLE_NONE && at.locks != LOCKS_NONE)
			path = flow_path(visits->in.lock_sets->in.paths, pointer);
		visits->rows = flow_grow(visits->rows, visits->count, &visits->room, sizeof *visits->rows);
		visits->rows[visits->count++] = (struct flow_visit){ .access = row->first_access + a,
								     .root = root,
								     .locks = see_locks(visits, at.locks, path),
								     .together = at.together };
	}
}

static void collect_block(struct collecting *c, uint32_t block, const uint64_t *entry, uint64_t *set)
{
	const struct flow_program *program = c->visits->in.program;
	const struct flow_alive *alive = c->visits->in.alive;
	struct flow_walk *walk = c->visits->in.walk;
	struct flow_visits *visits = c->visits;
	const struct flow_context context = walk->contexts[c->context];
	const struct flow_body *body = &program->bodies[context.function];
	const struct whole_block *row =
		&program->whole->block[program->whole->function[context.function].first_block + block];
	uint32_t locks = context.blocks[block], first = body->first_call[block];
	if (locks == LOCKS_UNREACHED || !flow_alive_at(alive, context.function, block, entry, set))
		return;
	c->count = 0;
	if (flow_alive_block(alive, context.function, block, set, collect_alive, c))
		add_moment(c, together_of(c, set));
	uint32_t number = 0;
	for (uint32_t i = 0; i < row->instruction_count && number < c->count && locks != LOCKS_UNREACHED; i++) {
		const struct whole_instruction *at = &program->whole->instruction[row->first_instruction + i];
		c->moments[number].locks = locks;
		add_visits(visits, context.root, at, c->moments[number]);
		if (at->op != WHOLE_CALL)
			continue;
		add_order(visits, &context, &program->calls[first + number], c->moments[number]);
		add_frees(visits, &context, row->first_instruction + i, c->moments[number]);
		locks = flow_walk_call(walk, c->context, first + number, locks);
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

static void sort_visits(struct flow_visits *visits)
{
	const struct flow_program *program = visits->in.program;
	uint32_t count = 0, next = 0;
	if (visits->count)
		qsort(visits->rows, visits->count, sizeof *visits->rows, compare_visits);
	for (uint32_t i = 0; i < visits->count; i++)
		if (!count || memcmp(&visits->rows[count - 1], &visits->rows[i], sizeof *visits->rows) != 0)
			visits->rows[count++] = visits->rows[i];
	visits->count = count;
	visits->first = mem_alloc(((size_t)program->whole->access_count + 1) * sizeof *visits->first);
	for (uint32_t a = 0; a <= program->whole->access_count; a++) {
		while (next < count && visits->rows[next].access < a)
			next++;
		visits->first[a] = next;
	}
}

static void lay_out_sets(struct flow_visits *visits)
{
	visits->set_first = mem_alloc(((size_t)visits->row_sets.count + 1) * sizeof *visits->set_first);
	visits->set_rows = mem_alloc(((size_t)visits->row_sets.word_count + 1) * sizeof *visits->set_rows);
	uint32_t next = 0;
	for (uint32_t s = 0; s < visits->row_sets.count; s++) {
		uint32_t count;
		const uint32_t *rows = flow_interned_row(&visits->row_sets, s, &count);
		visits->set_first[s] = next;
		for (uint32_t i = 0; i < count; i++)
			visits->set_rows[next++] = visits->lock_rows[rows[i]];
	}
	visits->set_first[visits->row_sets.count] = next;
}

void flow_visits_make(const struct flow_visits_input *in, struct flow_visits *visits)
{
	const struct flow_threads *threads = in->threads;
	const struct flow_walk *walk = in->walk;
	struct collecting c = { .visits = visits, .set = mem_alloc(threads->words * sizeof(uint64_t)) };
	uint64_t *set = mem_alloc(threads->words * sizeof *set);
	visits->in = *in;
	uint32_t contexts = walk->context_count;
	for (c.context = 0; c.context < walk->context_count; c.context++) {
		const struct flow_context *context = &walk->contexts[c.context];
		if (!context->is_live || context->crowd != WHOLE_NONE)
			continue;
		const struct flow_body *body = &in->program->bodies[context->function];
		const uint64_t *entry = context->alive;
		for (uint32_t i = 0; i < body->reached; i++)
			collect_block(&c, body->order[i], entry, set);
	}
	if (walk->context_count != contexts || walk->todo.count)
		BUG("what is held behind calls changed after the walk");
	sort_visits(visits);
	lay_out_sets(visits);
	free(c.set);
	free(c.moments);
	free(set);
}

void flow_visits_release(struct flow_visits *visits)
{
	flow_interned_release(&visits->root_sets);
	flow_interned_release(&visits->seen_locks);
	flow_interned_release(&visits->row_sets);
	flow_interned_release(&visits->row_keys);
	flow_interned_release(&visits->order_keys);
	flow_interned_release(&visits->free_keys);
	free(visits->frees);
	flow_ids_release(&visits->seen_sets);
	free(visits->lock_rows);
	free(visits->set_rows);
	free(visits->set_first);
	free(visits->rows);
	free(visits->first);
	free(visits->orders);
}
