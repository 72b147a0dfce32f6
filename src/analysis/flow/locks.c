/*
 * locks.c: sets of locks that are held for certain. A lock is known by a path (analysis/flow/paths.c) and by what its pointer may
 * point to. A release takes away every lock that it may be, unless it is certainly another one. A lock that was only
 * tried is pending until a branch tests whether it was acquired.
 * Input: struct flow_lock_sets_input. Result: struct flow_lock_sets.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/locks.h"
#include "analysis/flow/once.h"
#include "analysis/flow/program.h"
#include "analysis/flow/releases.h"
#include "analysis/flow/single.h"

#define PENDING_NOT_ZERO (UINT32_C(1) << 31)

uint32_t flow_lock_number(struct flow_lock_sets *lock_sets, struct lock lock)
{
	return flow_interned_add(&lock_sets->locks, &lock, sizeof lock / sizeof(uint32_t));
}

struct lock flow_lock_row(const struct flow_lock_sets *lock_sets, uint32_t lock)
{
	struct lock row;
	memcpy(&row, flow_interned_row(&lock_sets->locks, lock, NULL), sizeof row);
	return row;
}

uint32_t flow_locks_count(const struct flow_lock_sets *lock_sets, uint32_t set)
{
	uint32_t count;
	flow_interned_row(&lock_sets->sets, set, &count);
	return count;
}

uint32_t flow_locks_item(const struct flow_lock_sets *lock_sets, uint32_t set, uint32_t number)
{
	return flow_interned_row(&lock_sets->sets, set, NULL)[number];
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

uint32_t flow_locks_intern(struct flow_lock_sets *lock_sets, struct flow_ids *locks)
{
	uint32_t count = 0;
	if (locks->count)
		qsort(locks->items, locks->count, sizeof *locks->items, compare_ids);
	for (uint32_t i = 0; i < locks->count; i++)
		if (!count || locks->items[count - 1] != locks->items[i])
			locks->items[count++] = locks->items[i];
	uint32_t set = flow_interned_add(&lock_sets->sets, locks->items, count);
	flow_ids_release(locks);
	return set;
}

static bool is_same_name(const struct lock *a, const struct lock *b)
{
	if (a->node != b->node || a->pending != b->pending)
		return false;
	return a->node == NODE_NONE ? a->pointees == b->pointees : a->offset == b->offset;
}

/* The lock of the set with the same name, or WHOLE_NONE. */
static uint32_t find_lock(const struct flow_lock_sets *lock_sets, uint32_t set, const struct lock *lock)
{
	uint32_t count;
	const uint32_t *items = flow_interned_row(&lock_sets->sets, set, &count);
	for (uint32_t i = 0; i < count; i++) {
		struct lock row = flow_lock_row(lock_sets, items[i]);
		if (is_same_name(&row, lock))
			return items[i];
	}
	return WHOLE_NONE;
}

static bool has_pointees(const struct flow_lock_sets *lock_sets, uint32_t set, uint32_t pointees)
{
	uint32_t count;
	const uint32_t *items = flow_interned_row(&lock_sets->sets, set, &count);
	for (uint32_t i = 0; i < count; i++) {
		struct lock row = flow_lock_row(lock_sets, items[i]);
		if (row.pointees == pointees && row.pending == LOCK_NOT_PENDING)
			return true;
	}
	return false;
}

static uint32_t number_from(struct flow_lock_sets *lock_sets, struct lock lock, uint32_t like)
{
	uint32_t number = flow_lock_number(lock_sets, lock);
	while (lock_sets->taken_at.count <= number)
		flow_ids_add(&lock_sets->taken_at, WHOLE_NONE);
	if (lock_sets->taken_at.items[number] == WHOLE_NONE)
		lock_sets->taken_at.items[number] = like;
	return number;
}

static uint32_t taken_at(const struct flow_lock_sets *lock_sets, uint32_t lock)
{
	return lock < lock_sets->taken_at.count ? lock_sets->taken_at.items[lock] : WHOLE_NONE;
}

/* It is done if it is on both ways; else one of them may still be at it. */
static uint32_t meet_modes(uint32_t a, uint32_t b)
{
	return a == b ? a : LOCK_SHARED;
}

uint32_t flow_locks_meet(struct flow_lock_sets *lock_sets, uint32_t a, uint32_t b)
{
	if (a == b || b == LOCKS_UNREACHED)
		return a;
	if (a == LOCKS_UNREACHED)
		return b;
	struct flow_ids both = { 0 };
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, a); i++) {
		uint32_t number = flow_locks_item(lock_sets, a, i);
		struct lock lock = flow_lock_row(lock_sets, number);
		uint32_t other = find_lock(lock_sets, b, &lock);
		if (other != WHOLE_NONE) {
			struct lock row = flow_lock_row(lock_sets, other);
			lock.is_shared = meet_modes(lock.is_shared, row.is_shared);
			if (row.pointees < lock.pointees)
				lock.pointees = row.pointees;
		} else if (lock.pending == LOCK_NOT_PENDING && has_pointees(lock_sets, b, lock.pointees)) {
			/* By different names, perhaps different ones, but of one kind. */
			lock.node = NODE_NONE;
			lock.offset = 0;
		} else {
			continue;
		}
		flow_ids_add(&both, number_from(lock_sets, lock, taken_at(lock_sets, number)));
	}
	return flow_locks_intern(lock_sets, &both);
}

/* ---- which lock ---- */

uint32_t flow_pointees_of(struct flow_lock_sets *lock_sets, uint32_t pointer)
{
	struct points_set set = points_of_value(lock_sets->in.program->points, pointer);
	return flow_interned_add(&lock_sets->pointees, set.items, set.count);
}

struct lock flow_lock_of(struct flow_lock_sets *lock_sets, uint32_t pointer)
{
	struct path path = flow_path(lock_sets->in.paths, pointer);
	return (struct lock){ .node = path.node,
			      .offset = path.offset,
			      .pointees = flow_pointees_of(lock_sets, pointer),
			      .pending = LOCK_NOT_PENDING };
}

bool flow_may_share(const struct flow_lock_sets *lock_sets, uint32_t a, uint32_t b)
{
	const struct flow_program *program = lock_sets->in.program;
	uint32_t a_count, b_count;
	const uint32_t *x = flow_interned_row(&lock_sets->pointees, a, &a_count),
		       *y = flow_interned_row(&lock_sets->pointees, b, &b_count);
	/* Nothing is known of one of them. */
	if (a == b || !a_count || !b_count)
		return true;
	for (uint32_t i = 0; i < a_count; i++) {
		struct points_location p = points_location(program->points, x[i]);
		for (uint32_t k = 0; k < b_count; k++) {
			struct points_location q = points_location(program->points, y[k]);
			if (p.object == q.object &&
			    (p.offset == q.offset || p.offset == POINTS_ANYWHERE || q.offset == POINTS_ANYWHERE))
				return true;
		}
	}
	return false;
}

bool flow_may_be_same(const struct flow_lock_sets *lock_sets, const struct lock *a, const struct lock *b)
{
	const struct flow_paths *paths = lock_sets->in.paths;
	if (a->node != NODE_NONE && a->node == b->node)
		return a->offset == b->offset;
	if (a->node != NODE_NONE && b->node != NODE_NONE && flow_node(paths, a->node).kind == NODE_OBJECT &&
	    flow_node(paths, b->node).kind == NODE_OBJECT)
		return false;
	return flow_may_share(lock_sets, a->pointees, b->pointees);
}

bool flow_lock_is_concrete(const struct flow_paths *paths, const struct lock *lock)
{
	if (lock->node == NODE_NONE)
		return false;
	struct node node = flow_node(paths, lock->node);
	return node.kind == NODE_OBJECT && flow_is_single(paths->in.program, paths->in.single, node.index);
}

/* ---- what models do ---- */

uint32_t flow_locks_add(struct flow_lock_sets *lock_sets, uint32_t set, struct lock lock, uint32_t call)
{
	struct flow_ids all = { 0 };
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		struct lock row = flow_lock_row(lock_sets, number);
		if (!is_same_name(&row, &lock))
			flow_ids_add(&all, number);
		else if (lock.is_shared != LOCK_DONE)
			lock.is_shared &= row.is_shared;
	}
	flow_ids_add(&all, number_from(lock_sets, lock, call));
	return flow_locks_intern(lock_sets, &all);
}

static uint32_t release(struct flow_lock_sets *lock_sets, uint32_t set, const struct lock *released)
{
	struct flow_ids rest = { 0 };
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		struct lock row = flow_lock_row(lock_sets, number);
		if (row.is_shared == LOCK_DONE || !flow_may_be_same(lock_sets, &row, released))
			flow_ids_add(&rest, number);
	}
	return flow_locks_intern(lock_sets, &rest);
}

uint32_t flow_locks_model(struct flow_lock_sets *lock_sets, uint32_t set, const struct flow_call *call)
{
	const struct flow_program *program = lock_sets->in.program;
	const struct model *model = call->model;
	if (call->is_wild)
		return LOCKS_NONE;
	if (!model)
		return set;
	uint32_t pointer = flow_argument(program, call->instruction, model->object);
	bool is_try = model->sync == MODEL_TRY_LOCK || model->sync == MODEL_TRY_LOCK_SHARED;
	bool is_lock = is_try || model->sync == MODEL_LOCK || model->sync == MODEL_LOCK_SHARED;
	if ((!is_lock && model->sync != MODEL_UNLOCK) || pointer == WHOLE_NONE)
		return set;
	struct lock lock = flow_lock_of(lock_sets, pointer);
	if (!is_lock) {
		set = release(lock_sets, set, &lock);
		return model->is_once && !model->is_given_up && call->is_certain
			       ? flow_locks_done(lock_sets, set, pointer, call->instruction)
			       : set;
	}
	if (!call->is_certain)
		return set;
	lock.is_shared = model->sync == MODEL_LOCK_SHARED || model->sync == MODEL_TRY_LOCK_SHARED;
	if (is_try && model->result != MODEL_ALWAYS) {
		uint32_t result = program->whole->instruction[call->instruction].result;
		if (result == WHOLE_NONE || result >= PENDING_NOT_ZERO)
			return set;
		lock.pending = result | (model->result == MODEL_NOT_ZERO ? PENDING_NOT_ZERO : 0);
	}
	return flow_locks_add(lock_sets, set, lock, call->instruction);
}

/* ---- along edges ---- */

enum outcome { OUTCOME_OPEN, OUTCOME_GOT, OUTCOME_FAILED };

static enum outcome outcome_of(const struct flow_program *program, uint32_t pending, const struct whole_block *block,
			       uint32_t successor)
{
	int64_t distance;
	if (block->test.value == WHOLE_NONE || block->successor_count != 2 ||
	    whole_base(program->whole, block->test.value, &distance) != (pending & ~PENDING_NOT_ZERO) || distance)
		return OUTCOME_OPEN;
	bool is_equal = successor == block->test.if_equal, wants_zero = !(pending & PENDING_NOT_ZERO);
	if (block->test.constant == 0)
		return is_equal == wants_zero ? OUTCOME_GOT : OUTCOME_FAILED;
	if (is_equal)
		return wants_zero ? OUTCOME_FAILED : OUTCOME_GOT;
	return OUTCOME_OPEN;
}

/* The constant that a test asks about, if the edge is only taken when the value is (or is not) it. */
struct answer {
	uint32_t call; /* whose result it is; WHOLE_NONE: of none */
	int64_t constant;
	bool is_equal;
};

static struct answer answer_of(const struct flow_program *program, const struct whole_block *block, uint32_t successor)
{
	struct answer answer = { .call = WHOLE_NONE };
	int64_t distance;
	if (block->test.value == WHOLE_NONE || block->successor_count != 2)
		return answer;
	const struct whole_value *value =
		&program->whole->value[whole_base(program->whole, block->test.value, &distance)];
	if (distance || value->kind != WHOLE_RESULT || program->whole->instruction[value->index].op != WHOLE_CALL)
		return answer;
	answer.call = flow_call_at(program, value->index);
	answer.constant = block->test.constant;
	answer.is_equal = successor == block->test.if_equal;
	return answer;
}

/* A function that returns nothing but one number decides branches: libstdc++ asks whether there are threads at all. */
static bool is_impossible(const struct flow_program *program, const struct flow_releases *releases,
			  const struct answer *answer)
{
	const struct flow_call *call = &program->calls[answer->call];
	if (call->target_count != 1 || call->may_skip)
		return false;
	uint32_t number = releases->returned_number[program->targets.items[call->first_target]];
	return number != WHOLE_NONE && (program->whole->value[number].offset == answer->constant) != answer->is_equal;
}

/* A lock function that says that it failed. */
static bool has_failed(const struct flow_program *program, const struct answer *answer)
{
	const struct model *model = program->calls[answer->call].model;
	if (!model || (model->sync != MODEL_LOCK && model->sync != MODEL_LOCK_SHARED))
		return false;
	return answer->constant == 0 ? !answer->is_equal : answer->is_equal;
}

/* A lock that was pending is held. */
static uint32_t get(struct flow_lock_sets *lock_sets, uint32_t set, uint32_t number, uint32_t to)
{
	struct lock lock = flow_lock_row(lock_sets, number);
	lock.pending = LOCK_NOT_PENDING;
	if (lock.node != NODE_NONE && flow_is_made_in(lock_sets->in.paths, lock.node, to))
		return set;
	return flow_locks_add(lock_sets, set, lock, taken_at(lock_sets, number));
}

/* The call did not get its lock: because what that is for is done, if it says so. */
static uint32_t find_done(struct flow_lock_sets *lock_sets, uint32_t set, uint32_t instruction)
{
	const struct flow_program *program = lock_sets->in.program;
	if (program->whole->instruction[instruction].op != WHOLE_CALL)
		return set;
	const struct flow_call *call = &program->calls[flow_call_at(program, instruction)];
	if (!call->model || !call->model->is_once || !call->is_certain)
		return set;
	return flow_locks_done(lock_sets, set, flow_argument(program, instruction, call->model->object), instruction);
}

uint32_t flow_locks_edge(const struct flow_releases *releases, struct flow_lock_sets *lock_sets, uint32_t set,
			 uint32_t block, uint32_t successor, uint32_t to)
{
	const struct flow_program *program = lock_sets->in.program;
	struct flow_paths *paths = lock_sets->in.paths;
	const struct whole *whole = program->whole;
	struct answer answer = answer_of(program, &whole->block[block], successor);
	if (answer.call != WHOLE_NONE && is_impossible(program, releases, &answer))
		return LOCKS_UNREACHED;
	if (answer.call != WHOLE_NONE && has_failed(program, &answer)) {
		const struct flow_call *call = &program->calls[answer.call];
		struct lock lock =
			flow_lock_of(lock_sets, flow_argument(program, call->instruction, call->model->object));
		set = release(lock_sets, set, &lock);
	}
	uint32_t guard = flow_known_done(lock_sets->in.controls, paths, &whole->block[block], successor);
	if (guard != WHOLE_NONE)
		set = flow_locks_done(lock_sets, set, guard, WHOLE_NONE);
	uint32_t count = flow_locks_count(lock_sets, set);
	if (!count)
		return set;
	struct flow_ids rest = { 0 }, got = { 0 };
	uint32_t done = WHOLE_NONE;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		struct lock lock = flow_lock_row(lock_sets, number);
		if (lock.pending != LOCK_NOT_PENDING) {
			enum outcome outcome = outcome_of(program, lock.pending, &whole->block[block], successor);
			const struct whole_value *value = &whole->value[lock.pending & ~PENDING_NOT_ZERO];
			if (outcome == OUTCOME_FAILED)
				done = value->index;
			if (outcome == OUTCOME_FAILED ||
			    (outcome == OUTCOME_OPEN && whole->instruction[value->index].block == to))
				continue;
			if (outcome == OUTCOME_GOT) {
				flow_ids_add(&got, number);
				continue;
			}
		}
		if (lock.node != NODE_NONE && flow_is_made_in(paths, lock.node, to))
			continue;
		flow_ids_add(&rest, number);
	}
	set = flow_locks_intern(lock_sets, &rest);
	for (uint32_t i = 0; i < got.count; i++)
		set = get(lock_sets, set, got.items[i], to);
	flow_ids_release(&got);
	return done == WHOLE_NONE ? set : find_done(lock_sets, set, done);
}

uint32_t flow_locks_drop_loads(struct flow_lock_sets *lock_sets, uint32_t set)
{
	struct flow_ids rest = { 0 };
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		struct lock lock = flow_lock_row(lock_sets, number);
		if (lock.node == NODE_NONE || !flow_has_load(lock_sets->in.paths, lock.node))
			flow_ids_add(&rest, number);
	}
	return flow_locks_intern(lock_sets, &rest);
}

void flow_locks_init(const struct flow_lock_sets_input *in, struct flow_lock_sets *lock_sets)
{
	lock_sets->in = *in;

	flow_interned_add(&lock_sets->sets, NULL, 0); /* LOCKS_NONE */
}

void flow_locks_release(struct flow_lock_sets *lock_sets)
{
	flow_interned_release(&lock_sets->pointees);
	flow_interned_release(&lock_sets->locks);
	flow_interned_release(&lock_sets->sets);
	flow_ids_release(&lock_sets->taken_at);
}
