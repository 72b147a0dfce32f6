/*
 * output_locks.c: see output.h: where a lock was taken, for people. The analysis knows which locks are held, not which of several calls took
 * them: a lock is one thing, wherever it is taken. The report names the last call before the instruction in its own
 * function; else in one that it is called from, the nearest first; else the one that is known, if the thread can get
 * there; else the one that it gets to most directly. Where there is none, nothing is reported.
 */
#include "analysis/flow/arguments.h"
#include "analysis/flow/program.h"
#include "analysis/output.h"
#include "analysis/races/races_priv.h"

enum { MAX_CALLERS = 64 }; /* functions that are examined in the search for callers */

static bool may_take(const struct flow_program *program, const struct flow_call *call, const struct flow_lock *lock)
{
	uint32_t pointer = model_takes_lock(call->model)
				   ? flow_argument(program, call->instruction, call->model->object)
				   : WHOLE_NONE;
	if (pointer == WHOLE_NONE)
		return false;
	int64_t offset;
	const struct whole_value *base = &program->whole->value[whole_base(program->whole, pointer, &offset)];
	if (base->kind == WHOLE_ADDRESS)
		return base->index == lock->object && (uint64_t)offset == lock->offset;
	struct points_set set = points_of_value(program->points, pointer);
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(program->points, set.items[i]);
		if (at.object == lock->object && (at.offset == lock->offset || at.offset == POINTS_ANYWHERE))
			return true;
	}
	return false;
}

/* In the function of the instruction: the last before it, or, as blocks need not be in the order of the source, any; but not the instruction,
 * which may be what takes another such lock. */
static uint32_t find_near(const struct flow_program *program, const struct flow_lock *lock, uint32_t instruction)
{
	const struct flow_body *body = &program->bodies[program->whole->instruction[instruction].function];
	uint32_t found = WHOLE_NONE;
	for (uint32_t c = body->first_call ? body->first_call[0] : 0;
	     body->first_call && c < body->first_call[body->graph.node_count]; c++) {
		uint32_t at = program->calls[c].instruction;
		if (at != instruction && may_take(program, &program->calls[c], lock) &&
		    (found == WHOLE_NONE || at < instruction))
			found = at;
	}
	return found;
}

/* In functions that lead there. */
static uint32_t find_above(const struct output_parts *parts, const struct flow_lock *lock, uint32_t instruction,
			   uint32_t root)
{
	const struct flow_program *program = flow_program(parts->flow);
	const struct whole *whole = parts->whole;
	uint32_t found = WHOLE_NONE;
	struct flow_ids seen = { 0 };
	flow_ids_add(&seen, whole->instruction[instruction].function);
	for (uint32_t i = 0; i < seen.count && found == WHOLE_NONE; i++) {
		const struct flow_ids *callers = &program->callers[seen.items[i]];
		for (uint32_t j = 0; j < callers->count && seen.count < MAX_CALLERS && found == WHOLE_NONE; j++) {
			uint32_t at = program->calls[callers->items[j]].instruction;
			uint32_t caller = whole->instruction[at].function;
			if (!flow_may_call(flow_arguments(parts->flow), root, callers->items[j], seen.items[i]) ||
			    races_remote(parts->races->search, root, caller) >= RACES_FAR)
				continue;
			found = find_near(program, lock, at);
			flow_ids_add_new(&seen, caller);
		}
	}
	flow_ids_release(&seen);
	return found;
}

static uint32_t find_reached(const struct output_parts *parts, const struct flow_lock *lock, uint32_t root)
{
	const struct flow_program *program = flow_program(parts->flow);
	struct races_search *search = parts->races->search;
	unsigned best = RACES_FAR;
	uint32_t found = WHOLE_NONE;
	if (lock->call != WHOLE_NONE)
		best = races_remote(search, root, parts->whole->instruction[lock->call].function);
	if (best < RACES_FAR)
		return lock->call;
	for (uint32_t c = 0; c < program->call_count; c++) {
		if (!may_take(program, &program->calls[c], lock))
			continue;
		uint32_t at = program->calls[c].instruction;
		unsigned remote = races_remote(search, root, parts->whole->instruction[at].function);
		if (remote < best) {
			best = remote;
			found = at;
		}
	}
	return found;
}

struct flow_lock output_find_taken(const struct output_parts *parts, struct flow_lock lock, uint32_t instruction,
				   uint32_t root)
{
	uint32_t call = lock.call;
	if (lock.object != WHOLE_NONE && parts->races) {
		call = find_near(flow_program(parts->flow), &lock, instruction);
		if (call == WHOLE_NONE)
			call = find_above(parts, &lock, instruction, root);
		if (call == WHOLE_NONE)
			call = find_reached(parts, &lock, root);
	}
	lock.call = call;
	lock.place = call == WHOLE_NONE ? WHOLE_NONE : parts->whole->instruction[call].place;
	if (call != WHOLE_NONE && parts->whole->instruction[call].lock)
		lock.name = parts->whole->instruction[call].lock;
	return lock;
}
