/*
 * crowd.c: calls by pointer that may call very many functions. In large programs many calls have the same long list of targets;
 * walking it at each of them, for each context, would be most of the work. A list is a *crowd*, and a root's way of
 * entering it, with locks that are named alike everywhere, is a context without a body, which asks for those of its
 * members. So a call asks for one context. The cost: locks that only the arguments name are not held inside the
 * members, and what a member takes is not held after the call. The locks held after the call are those that none of
 * them may release.
 * Input: struct flow_crowds_input. Result: struct flow_crowds. The contexts of crowds are made by walk.c.
 */
#include <stdlib.h>

#include "analysis/flow/alive.h"
#include "analysis/flow/arguments.h"
#include "analysis/flow/crowd.h"
#include "analysis/flow/program.h"
#include "analysis/flow/releases.h"
#include "analysis/flow/threads.h"
#include "base/mem.h"

enum { CROWD_LEAST = 24 };

enum trait { CROWD_STARTS = 1, CROWD_LOCKS = 2 };

static bool is_crowd_call(const struct flow_program *program, const struct flow_arguments *arguments, uint32_t number)
{
	const struct flow_call *call = &program->calls[number];
	return call->target_count >= CROWD_LEAST && !arguments->is_narrowed[number] && !call->model;
}

void flow_crowds_find(const struct flow_crowds_input *in, struct flow_crowds *crowds)
{

	const struct flow_program *program = in->program;
	crowds->of_call = mem_alloc(((size_t)program->call_count + 1) * sizeof *crowds->of_call);
	for (uint32_t c = 0; c < program->call_count; c++) {
		const struct flow_call *call = &program->calls[c];
		crowds->of_call[c] = WHOLE_NONE;
		if (!is_crowd_call(program, in->arguments, c))
			continue;
		const uint32_t *targets = program->targets.items + call->first_target;
		uint32_t number = flow_interned_add(&crowds->lists, targets, call->target_count);
		crowds->of_call[c] = number;
		if (number < crowds->traits.count)
			continue;
		uint32_t traits = 0;
		for (uint32_t t = 0; t < call->target_count; t++) {
			traits |= flow_bits_are_empty(flow_row(in->threads, in->alive->may_start, targets[t]),
						      in->threads->words)
					  ? 0
					  : CROWD_STARTS;
			traits |= in->releases->changes_locks[targets[t]] ? CROWD_LOCKS : 0;
		}
		flow_ids_add(&crowds->traits, traits);
	}
}

bool flow_crowd_starts(const struct flow_crowds *crowds, uint32_t crowd)
{
	return crowds->traits.items[crowd] & CROWD_STARTS;
}

bool flow_crowd_locks(const struct flow_crowds *crowds, uint32_t crowd)
{
	return crowds->traits.items[crowd] & CROWD_LOCKS;
}

void flow_crowds_release(struct flow_crowds *crowds)
{
	free(crowds->of_call);
	flow_interned_release(&crowds->lists);
	flow_ids_release(&crowds->traits);
}
