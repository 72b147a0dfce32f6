/*
 * translate.c: locks on both sides of a call. What begins with an object is named alike everywhere. What begins with a
 * value of the caller that is an argument begins with a parameter in the callee, and the other way round on return; also what
 * the callee returns has a name in the caller. A lock that has no name on the other side is still known by what it may be.
 * Input: struct flow_lock_sets, struct flow_releases. Result: sets of locks in the first.
 */
#include <stdlib.h>

#include "analysis/flow/locks.h"
#include "analysis/flow/program.h"
#include "analysis/flow/releases.h"
#include "analysis/flow/translate.h"

#define PENDING_NOT_ZERO (UINT32_C(1) << 31)
#define PENDING_RETURN (PENDING_NOT_ZERO - 1)

static void bind(struct bindings *bindings, uint32_t node, struct path path)
{
	bindings->items = flow_grow(bindings->items, bindings->count, &bindings->room, sizeof *bindings->items);
	bindings->items[bindings->count++] = (struct binding){ node, path };
}

/* Arguments and parameters of a call, from the caller's names to the callee's or back. */
static struct bindings bind_arguments(struct flow_paths *paths, uint32_t instruction, uint32_t function, bool is_back)
{
	const struct flow_program *program = paths->in.program;
	struct bindings bindings = { 0 };
	for (uint32_t k = 0; k < program->whole->function[function].parameter_count; k++) {
		uint32_t value = flow_argument(program, instruction, (int)k);
		if (value == WHOLE_NONE)
			break;
		uint8_t kind = program->whole->value[value].kind;
		if (kind == WHOLE_NUMBER || kind == WHOLE_OPAQUE)
			continue;
		struct path path = flow_path(paths, value);
		uint32_t parameter = flow_make_node(paths, (struct node){ .kind = NODE_PARAMETER, .index = k });
		if (is_back)
			bind(&bindings, parameter, path);
		else
			bind(&bindings, path.node, (struct path){ parameter, -path.offset });
	}
	return bindings;
}

/* How a lock of the caller is named in the callee: at most twice. Returns how many. */
static unsigned forms_of(struct flow_paths *paths, struct lock lock, const struct bindings *bindings,
			 struct lock forms[2])
{
	unsigned count = 0;
	if (lock.pending != LOCK_NOT_PENDING)
		return 0;
	if (lock.node != NODE_NONE) {
		if (flow_is_global(paths, lock.node))
			forms[count++] = lock;
		struct path path = flow_rewrite(paths, lock.node, bindings);
		if (path.node != NODE_NONE && (!count || path.node != lock.node)) {
			lock.node = path.node;
			lock.offset += path.offset;
			forms[count++] = lock;
		}
	}
	if (!count) {
		lock.node = NODE_NONE;
		lock.offset = 0;
		forms[count++] = lock;
	}
	return count;
}

static uint32_t call_of(const struct flow_lock_sets *lock_sets, uint32_t lock)
{
	return lock < lock_sets->taken_at.count ? lock_sets->taken_at.items[lock] : WHOLE_NONE;
}

uint32_t flow_locks_enter(struct flow_lock_sets *lock_sets, uint32_t set, uint32_t instruction, uint32_t function)
{
	struct flow_paths *paths = lock_sets->in.paths;
	if (set == LOCKS_NONE)
		return set;
	struct bindings bindings = bind_arguments(paths, instruction, function, false);
	uint32_t entry = LOCKS_NONE;
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		struct lock forms[2];
		unsigned count = forms_of(paths, flow_lock_row(lock_sets, number), &bindings, forms);
		for (unsigned k = 0; k < count; k++)
			entry = flow_locks_add(lock_sets, entry, forms[k], call_of(lock_sets, number));
	}
	free(bindings.items);
	return entry;
}

uint32_t flow_locks_enter_any(struct flow_lock_sets *lock_sets, uint32_t set)
{
	const struct bindings none = { 0 };
	uint32_t entry = LOCKS_NONE;
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		struct lock forms[2];
		unsigned count = forms_of(lock_sets->in.paths, flow_lock_row(lock_sets, number), &none, forms);
		for (unsigned k = 0; k < count; k++)
			entry = flow_locks_add(lock_sets, entry, forms[k], call_of(lock_sets, number));
	}
	return entry;
}

static bool is_named_as(const struct lock *a, const struct lock *b)
{
	return a->node == b->node && a->pending == b->pending &&
	       (a->node == NODE_NONE ? a->pointees == b->pointees : a->offset == b->offset);
}

/* The lock of the set with that name; false: none. */
static bool find_named(const struct flow_lock_sets *lock_sets, uint32_t set, const struct lock *lock,
		       struct lock *found)
{
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		*found = flow_lock_row(lock_sets, flow_locks_item(lock_sets, set, i));
		if (is_named_as(found, lock))
			return true;
	}
	return false;
}

/* Whether the caller's lock is held after the call; *lock becomes what is left of it. A callee that stands for many callers may
 * have been entered without knowing of it: then what it may release decides. */
static bool survives(const struct flow_releases *releases, const struct flow_lock_sets *lock_sets, struct lock *lock,
		     const struct bindings *bindings, uint32_t function, uint32_t entry, uint32_t exit)
{
	struct lock forms[2], found;
	unsigned count = forms_of(lock_sets->in.paths, *lock, bindings, forms);
	for (unsigned k = 0; k < count; k++) {
		if (!find_named(lock_sets, entry, &forms[k], &found)) {
			if (flow_may_release(releases, lock_sets, function, lock))
				return false;
		} else if (!find_named(lock_sets, exit, &forms[k], &found)) {
			return false;
		} else {
			lock->is_shared |= found.is_shared;
		}
	}
	return lock->pending == LOCK_NOT_PENDING || !flow_may_release(releases, lock_sets, function, lock);
}

/* A lock that the callee took, in the caller's words. */
static bool bring_back(struct flow_paths *paths, struct lock *lock, const struct bindings *bindings, uint32_t result)
{
	if (lock->pending != LOCK_NOT_PENDING) {
		if ((lock->pending & ~PENDING_NOT_ZERO) != PENDING_RETURN || result == WHOLE_NONE)
			return false;
		lock->pending = result | (lock->pending & PENDING_NOT_ZERO);
	}
	if (lock->node == NODE_NONE)
		return true;
	struct path path = flow_rewrite(paths, lock->node, bindings);
	lock->offset = path.node == NODE_NONE ? 0 : lock->offset + path.offset;
	lock->node = path.node;
	return true;
}

uint32_t flow_locks_return(const struct flow_releases *releases, struct flow_lock_sets *lock_sets, uint32_t set,
			   uint32_t instruction, uint32_t function, uint32_t entry, uint32_t exit)
{
	struct flow_paths *paths = lock_sets->in.paths;
	if (set == LOCKS_NONE && exit == LOCKS_NONE)
		return set;
	uint32_t result = lock_sets->in.program->whole->instruction[instruction].result, after = LOCKS_NONE;
	struct bindings in = bind_arguments(paths, instruction, function, false);
	struct bindings back = bind_arguments(paths, instruction, function, true);
	if (result != WHOLE_NONE)
		bind(&back, flow_make_node(paths, (struct node){ .kind = NODE_RETURN }), flow_path(paths, result));
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		struct lock lock = flow_lock_row(lock_sets, number);
		if (survives(releases, lock_sets, &lock, &in, function, entry, exit))
			after = flow_locks_add(lock_sets, after, lock, call_of(lock_sets, number));
	}
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, exit); i++) {
		uint32_t number = flow_locks_item(lock_sets, exit, i);
		struct lock lock = flow_lock_row(lock_sets, number), found;
		if (!find_named(lock_sets, entry, &lock, &found) && bring_back(paths, &lock, &back, result))
			after = flow_locks_add(lock_sets, after, lock, call_of(lock_sets, number));
	}
	free(in.items);
	free(back.items);
	return after;
}

uint32_t flow_locks_at_return(struct flow_lock_sets *lock_sets, uint32_t set, uint32_t instruction)
{
	const struct flow_program *program = lock_sets->in.program;
	struct flow_paths *paths = lock_sets->in.paths;
	if (set == LOCKS_NONE)
		return set;
	struct bindings bindings = { .keeps_parameters = true };
	uint32_t value = whole_operand(program->whole, &program->whole->instruction[instruction], 0),
		 after = LOCKS_NONE;
	uint32_t returned = flow_make_node(paths, (struct node){ .kind = NODE_RETURN });
	int64_t distance = 0;
	uint32_t base = value == WHOLE_NONE ? WHOLE_NONE : whole_base(program->whole, value, &distance);
	if (value != WHOLE_NONE) {
		struct path path = flow_path(paths, value);
		struct node node = flow_node(paths, path.node);
		if (node.kind != NODE_PARAMETER && !flow_is_global(paths, path.node))
			bind(&bindings, path.node, (struct path){ returned, -path.offset });
	}
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		struct lock lock = flow_lock_row(lock_sets, number);
		if (lock.pending != LOCK_NOT_PENDING) {
			if (distance || (lock.pending & ~PENDING_NOT_ZERO) != base)
				continue;
			lock.pending = PENDING_RETURN | (lock.pending & PENDING_NOT_ZERO);
		}
		if (lock.node != NODE_NONE) {
			struct path path = flow_rewrite(paths, lock.node, &bindings);
			lock.offset = path.node == NODE_NONE ? 0 : lock.offset + path.offset;
			lock.node = path.node;
		}
		after = flow_locks_add(lock_sets, after, lock, call_of(lock_sets, number));
	}
	free(bindings.items);
	return after;
}

uint32_t flow_locks_throw(const struct flow_releases *releases, struct flow_lock_sets *lock_sets, uint32_t set,
			  const struct flow_call *call)
{
	struct flow_ids rest = { 0 };
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, set); i++) {
		uint32_t number = flow_locks_item(lock_sets, set, i);
		struct lock lock = flow_lock_row(lock_sets, number);
		bool is_kept = !call->is_wild;
		for (uint32_t t = 0; t < call->target_count; t++)
			is_kept &=
				!flow_may_release(releases, lock_sets,
						  lock_sets->in.program->targets.items[call->first_target + t], &lock);
		if (is_kept)
			flow_ids_add(&rest, number);
	}
	uint32_t after = flow_locks_intern(lock_sets, &rest);
	/* A model that releases, and throws. */
	if (call->model && call->model->sync == MODEL_UNLOCK)
		after = flow_locks_model(lock_sets, after, call);
	return after;
}
