/*
 * releases.c: what each function may do to locks, with all that it calls: which it may release, and whether it changes any; and which
 * functions return nothing but one number.
 */
#include <stdlib.h>

#include "analysis/flow/flow_priv.h"
#include "base/mem.h"

/* How many different things a function may release before it counts as releasing anything. */
enum { MOST_RELEASES = 64 };

bool flow_may_release(const struct flow *flow, uint32_t function, const struct lock *lock)
{
	if (lock->is_shared == LOCK_DONE)
		return false;
	if (flow->releases.is_wild[function])
		return true;
	for (uint32_t i = 0; i < flow->releases.released[function].count; i++)
		if (flow_may_share(flow, flow->releases.released[function].items[i], lock->pointees))
			return true;
	return false;
}

static bool add_release(struct flow *flow, uint32_t function, uint32_t pointees)
{
	if (flow->releases.is_wild[function] || !flow_ids_add_new(&flow->releases.released[function], pointees))
		return false;
	if (flow->releases.released[function].count > MOST_RELEASES)
		flow->releases.is_wild[function] = true;
	return true;
}

static bool find_releases(struct flow *flow, uint32_t function)
{
	const struct flow_body *body = &flow->program.bodies[function];
	bool is_changed = false, changes = flow->releases.changes_locks[function],
	     is_wild = flow->releases.is_wild[function];
	for (uint32_t c = body->first_call[0]; c < body->first_call[body->graph.node_count]; c++) {
		const struct flow_call *call = &flow->program.calls[c];
		uint8_t sync = call->model ? call->model->sync : MODEL_SYNC_NONE;
		is_wild |= call->is_wild;
		changes |= sync == MODEL_LOCK || sync == MODEL_LOCK_SHARED || sync == MODEL_TRY_LOCK ||
			   sync == MODEL_TRY_LOCK_SHARED || sync == MODEL_UNLOCK || sync == MODEL_ONCE || call->is_wild;
		uint32_t pointer =
			sync == MODEL_UNLOCK ? flow_argument(flow, call->instruction, call->model->object) : WHOLE_NONE;
		if (pointer != WHOLE_NONE)
			is_changed |= add_release(flow, function, flow_pointees_of(flow, pointer));
		for (uint32_t t = 0; t < call->target_count; t++) {
			uint32_t target = flow->program.targets.items[call->first_target + t];
			changes |= flow->releases.changes_locks[target];
			is_wild |= flow->releases.is_wild[target];
			for (uint32_t i = 0; target != function && i < flow->releases.released[target].count; i++)
				is_changed |= add_release(flow, function, flow->releases.released[target].items[i]);
		}
	}
	is_changed |= changes != flow->releases.changes_locks[function] || is_wild > flow->releases.is_wild[function];
	flow->releases.changes_locks[function] = changes;
	flow->releases.is_wild[function] |= is_wild;
	return is_changed;
}

/* The one number that the function returns, as a value, or WHOLE_NONE. */
static uint32_t find_returned_number(const struct flow *flow, uint32_t function)
{
	const struct whole_function *row = &flow->program.whole->function[function];
	uint32_t number = WHOLE_NONE;
	for (uint32_t i = 0; i < row->instruction_count; i++) {
		const struct whole_instruction *at = &flow->program.whole->instruction[row->first_instruction + i];
		if (at->op != WHOLE_RETURN)
			continue;
		uint32_t value = whole_operand(flow->program.whole, at, 0);
		if (value == WHOLE_NONE || flow->program.whole->value[value].kind != WHOLE_NUMBER ||
		    (number != WHOLE_NONE && number != value))
			return WHOLE_NONE;
		number = value;
	}
	return number;
}

void flow_releases_find(struct flow *flow)
{
	flow->releases.returned_number =
		mem_alloc(((size_t)flow->program.whole->function_count + 1) * sizeof(uint32_t));
	for (uint32_t f = 0; f < flow->program.whole->function_count; f++)
		flow->releases.returned_number[f] =
			flow->program.whole->function[f].is_defined ? find_returned_number(flow, f) : WHOLE_NONE;
	size_t functions = (size_t)flow->program.whole->function_count + 1;
	flow->releases.released = mem_alloc(functions * sizeof *flow->releases.released);
	flow->releases.changes_locks = mem_alloc(functions);
	flow->releases.is_wild = mem_alloc(functions);
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 0; i < flow->program.bottom_up.count; i++)
			is_changed |= find_releases(flow, flow->program.bottom_up.items[i]);
	}
}

void flow_releases_release(struct flow *flow)
{
	for (uint32_t f = 0; flow->releases.released && f < flow->program.whole->function_count; f++)
		flow_ids_release(&flow->releases.released[f]);
	free(flow->releases.released);
	free(flow->releases.changes_locks);
	free(flow->releases.is_wild);
	free(flow->releases.returned_number);
}
