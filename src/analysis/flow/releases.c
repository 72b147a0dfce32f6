/*
 * releases.c: what each function may do to locks, with all that it calls: which it may release, and whether it changes any; and which
 * functions return nothing but one number.
 * Input: struct flow_program, struct flow_lock_sets. Result: struct flow_releases.
 */
#include <stdlib.h>

#include "analysis/flow/locks.h"
#include "analysis/flow/program.h"
#include "analysis/flow/releases.h"
#include "base/mem.h"

/* How many different things a function may release before it counts as releasing anything. */
enum { MAX_RELEASES = 64 };

bool flow_may_release(const struct flow_releases *releases, const struct flow_lock_sets *lock_sets, uint32_t function,
		      const struct lock *lock)
{
	if (lock->is_shared == LOCK_DONE)
		return false;
	if (releases->is_wild[function])
		return true;
	for (uint32_t i = 0; i < releases->released[function].count; i++)
		if (flow_may_share(lock_sets, releases->released[function].items[i], lock->pointees))
			return true;
	return false;
}

static bool add_release(struct flow_releases *releases, uint32_t function, uint32_t pointees)
{
	if (releases->is_wild[function] || !flow_ids_add_new(&releases->released[function], pointees))
		return false;
	if (releases->released[function].count > MAX_RELEASES)
		releases->is_wild[function] = true;
	return true;
}

static bool find_releases(const struct flow_program *program, struct flow_lock_sets *lock_sets,
			  struct flow_releases *releases, uint32_t function)
{
	const struct flow_body *body = &program->bodies[function];
	bool is_changed = false, changes = releases->changes_locks[function], is_wild = releases->is_wild[function];
	for (uint32_t c = body->first_call[0]; c < body->first_call[body->graph.node_count]; c++) {
		const struct flow_call *call = &program->calls[c];
		uint8_t sync = call->model ? call->model->sync : MODEL_SYNC_NONE;
		is_wild |= call->is_wild;
		changes |= sync == MODEL_LOCK || sync == MODEL_LOCK_SHARED || sync == MODEL_TRY_LOCK ||
			   sync == MODEL_TRY_LOCK_SHARED || sync == MODEL_UNLOCK || sync == MODEL_ONCE || call->is_wild;
		uint32_t pointer = sync == MODEL_UNLOCK ? flow_argument(program, call->instruction, call->model->object)
							: WHOLE_NONE;
		if (pointer != WHOLE_NONE)
			is_changed |= add_release(releases, function, flow_pointees_of(lock_sets, pointer));
		for (uint32_t t = 0; t < call->target_count; t++) {
			uint32_t target = program->targets.items[call->first_target + t];
			changes |= releases->changes_locks[target];
			is_wild |= releases->is_wild[target];
			for (uint32_t i = 0; target != function && i < releases->released[target].count; i++)
				is_changed |= add_release(releases, function, releases->released[target].items[i]);
		}
	}
	is_changed |= changes != releases->changes_locks[function] || is_wild > releases->is_wild[function];
	releases->changes_locks[function] = changes;
	releases->is_wild[function] |= is_wild;
	return is_changed;
}

/* The one number that the function returns, as a value, or WHOLE_NONE. */
static uint32_t find_returned_number(const struct flow_program *program, uint32_t function)
{
	const struct whole_function *row = &program->whole->function[function];
	uint32_t number = WHOLE_NONE;
	for (uint32_t i = 0; i < row->instruction_count; i++) {
		const struct whole_instruction *at = &program->whole->instruction[row->first_instruction + i];
		if (at->op != WHOLE_RETURN)
			continue;
		uint32_t value = whole_operand(program->whole, at, 0);
		if (value == WHOLE_NONE || program->whole->value[value].kind != WHOLE_NUMBER ||
		    (number != WHOLE_NONE && number != value))
			return WHOLE_NONE;
		number = value;
	}
	return number;
}

void flow_releases_find(const struct flow_program *program, struct flow_lock_sets *lock_sets,
			struct flow_releases *releases)
{
	releases->returned_number = mem_alloc(((size_t)program->whole->function_count + 1) * sizeof(uint32_t));
	for (uint32_t f = 0; f < program->whole->function_count; f++)
		releases->returned_number[f] =
			program->whole->function[f].is_defined ? find_returned_number(program, f) : WHOLE_NONE;
	size_t functions = (size_t)program->whole->function_count + 1;
	releases->released = mem_alloc(functions * sizeof *releases->released);
	releases->changes_locks = mem_alloc(functions);
	releases->is_wild = mem_alloc(functions);
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 0; i < program->bottom_up.count; i++)
			is_changed |= find_releases(program, lock_sets, releases, program->bottom_up.items[i]);
	}
}

void flow_releases_release(const struct flow_program *program, struct flow_releases *releases)
{
	for (uint32_t f = 0; releases->released && f < program->whole->function_count; f++)
		flow_ids_release(&releases->released[f]);
	free(releases->released);
	free(releases->changes_locks);
	free(releases->is_wild);
	free(releases->returned_number);
}
