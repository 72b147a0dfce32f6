/*
 * crowd.c: calls by pointer that may call very many functions. In large programs many calls have the same long list of targets;
 * to pass through it at each of them, for each context, would be most of the work. A list is a *crowd*, and a root's way of entering it,
 * with locks that are named alike everywhere, is a context without a body, which asks for those of its members. So a call asks for
 * one context. What is given up: locks that only the arguments name are not held inside of the members, and what a member takes is not
 * held behind the call. What is held behind the call is what none of them may release.
 */
#include <stdlib.h>

#include "analysis/flow/flow_priv.h"
#include "base/mem.h"

enum { CROWD_LEAST = 24 };

enum trait { CROWD_STARTS = 1, CROWD_LOCKS = 2 };

static bool is_crowd_call(const struct flow *flow, uint32_t number)
{
	const struct flow_call *call = &flow->program.calls[number];
	return call->target_count >= CROWD_LEAST && !flow->arguments.is_narrowed[number] && !call->model;
}

void flow_crowds_find(struct flow *flow)
{
	flow->crowds.of_call = mem_alloc(((size_t)flow->program.call_count + 1) * sizeof *flow->crowds.of_call);
	for (uint32_t c = 0; c < flow->program.call_count; c++) {
		const struct flow_call *call = &flow->program.calls[c];
		flow->crowds.of_call[c] = WHOLE_NONE;
		if (!is_crowd_call(flow, c))
			continue;
		const uint32_t *targets = flow->program.targets.items + call->first_target;
		uint32_t number = flow_interned_add(&flow->crowds.lists, targets, call->target_count);
		flow->crowds.of_call[c] = number;
		if (number < flow->crowds.traits.count)
			continue;
		uint32_t traits = 0;
		for (uint32_t t = 0; t < call->target_count; t++) {
			traits |= flow_bits_are_empty(flow_row(flow, flow->alive.may_start, targets[t]),
						      flow->threads.words)
					  ? 0
					  : CROWD_STARTS;
			traits |= flow->releases.changes_locks[targets[t]] ? CROWD_LOCKS : 0;
		}
		flow_ids_add(&flow->crowds.traits, traits);
	}
}

bool flow_crowd_starts(const struct flow *flow, uint32_t crowd)
{
	return flow->crowds.traits.items[crowd] & CROWD_STARTS;
}

bool flow_crowd_locks(const struct flow *flow, uint32_t crowd)
{
	return flow->crowds.traits.items[crowd] & CROWD_LOCKS;
}

void flow_crowds_release(struct flow *flow)
{
	free(flow->crowds.of_call);
	flow_interned_release(&flow->crowds.lists);
	flow_ids_release(&flow->crowds.traits);
}
