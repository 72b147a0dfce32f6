/* flow.c: see flow.h; flow_priv.h says which file does what. */
#include "analysis/flow/flow.h"

#include <stdlib.h>

#include "analysis/flow/flow_priv.h"
#include "base/mem.h"

static void progress(const struct flow *flow, unsigned permille)
{
	if (flow->options.progress)
		flow->options.progress(flow->options.progress_context, permille);
}

/* Why there may be several threads of a root, in words. */
static const char *why_many(const struct flow *flow, uint32_t root)
{
	const struct flow_root *row = &flow->threads.roots[root];
	if (row->kind == FLOW_TEAM)
		return "a team of threads";
	if (row->kind == FLOW_EXPORTED)
		return "anybody may call it";
	if (row->kind == FLOW_HANDLER)
		return "any thread may get the signal";
	if (row->kind == FLOW_FOREIGN)
		return "how many is not known";
	if (row->calls > 1)
		return "created in several places";
	const struct whole_instruction *call = &flow->program.whole->instruction[row->call];
	uint32_t block = call->block - flow->program.whole->function[call->function].first_block;
	if (flow->program.bodies[call->function].is_in_cycle[block])
		return "created in a loop";
	if (flow->program.is_recursive[flow->program.component[call->function]])
		return "created by a recursive function";
	for (uint32_t r = 0; r < flow->threads.root_count; r++)
		if (r != root && flow_bit_has(flow_row(flow, flow->threads.started, r), root) &&
		    flow_bit_has(flow_row(flow, flow->alive.concurrent_roots, r), r))
			return "created by threads of which there are several";
	return "created more than once";
}

/* The roots as others see them. */
static void describe_roots(struct flow *flow)
{
	flow->roots = mem_alloc(flow->threads.root_count * sizeof *flow->roots);
	for (uint32_t r = 0; r < flow->threads.root_count; r++) {
		flow->roots[r] = flow->threads.roots[r];
		flow->roots[r].is_many = flow_bit_has(flow_row(flow, flow->alive.concurrent_roots, r), r);
		flow->roots[r].why_many = flow->roots[r].is_many ? why_many(flow, r) : NULL;
	}
}

int flow_solve(const struct whole *whole, const struct points *points, const struct flow_options *options,
	       struct flow **result, struct err *err)
{
	(void)err;
	struct flow *flow = mem_alloc(sizeof *flow);
	flow->program.whole = whole;
	flow->program.points = points;
	if (options)
		flow->options = *options;
	flow_program_init(flow);
	flow_controls_find(flow);
	flow_threads_find(flow);
	flow_single_find(flow);
	flow_arguments_find(flow);
	flow_joins_find(flow);
	progress(flow, 100);
	flow_alive_solve(flow);
	describe_roots(flow);
	progress(flow, 200);
	flow_paths_init(flow);
	flow_locks_init(flow);
	flow_releases_find(flow);
	flow_crowds_find(flow);
	flow->walk.most_contexts = flow->options.most_contexts;
	flow_walk(flow);
	progress(flow, 700);
	flow_fresh_find(flow);
	flow_visits_make(flow);
	progress(flow, 1000);
	*result = flow;
	return 0;
}

void flow_free(struct flow *flow)
{
	if (!flow)
		return;
	flow_visits_release(flow);
	flow_fresh_release(flow);
	flow_walk_release(flow);
	flow_crowds_release(flow);
	flow_releases_release(flow);
	flow_locks_release(flow);
	flow_paths_release(flow);
	flow_alive_release(flow);
	flow_joins_release(flow);
	flow_arguments_release(flow);
	flow_single_release(flow);
	flow_threads_release(flow);
	flow_controls_release(flow);
	flow_program_release(flow);
	free(flow->roots);
	free(flow);
}

uint32_t flow_root_count(const struct flow *flow)
{
	return flow->threads.root_count;
}

const struct flow_root *flow_root(const struct flow *flow, uint32_t root)
{
	return &flow->roots[root];
}

uint32_t flow_visit_count(const struct flow *flow, uint32_t access)
{
	return flow->visits.first[access + 1] - flow->visits.first[access];
}

const struct flow_visit *flow_visits(const struct flow *flow, uint32_t access)
{
	return flow->visits.rows + flow->visits.first[access];
}

struct flow_locks flow_locks(const struct flow *flow, uint32_t set)
{
	return (struct flow_locks){ flow->visits.set_rows + flow->visits.set_first[set],
				    flow->visits.set_first[set + 1] - flow->visits.set_first[set] };
}

bool flow_is_together(const struct flow *flow, uint32_t set, uint32_t root)
{
	return flow_interned_row(&flow->visits.root_sets, set, NULL)[root / 32] >> (root % 32) & 1;
}

bool flow_may_overlap(const struct flow *flow, const struct flow_visit *a, const struct flow_visit *b)
{
	if (a->root == b->root && !flow->roots[a->root].is_many)
		return false;
	return flow_is_together(flow, a->together, b->root) && flow_is_together(flow, b->together, a->root);
}

bool flow_is_fresh(const struct flow *flow, uint32_t access)
{
	return flow->fresh.is_fresh[access];
}

bool flow_is_asking(const struct flow *flow, uint32_t access)
{
	const struct whole_instruction *at =
		&flow->program.whole->instruction[flow->program.whole->access[access].instruction];
	return flow->program.bodies[at->function]
		.is_asking[at->block - flow->program.whole->function[at->function].first_block];
}

uint32_t flow_order_count(const struct flow *flow)
{
	return flow->visits.order_count;
}

const struct flow_order *flow_orders(const struct flow *flow)
{
	return flow->visits.orders;
}

uint32_t flow_free_count(const struct flow *flow)
{
	return flow->visits.free_keys.count;
}

const struct flow_free *flow_frees(const struct flow *flow)
{
	return flow->visits.frees;
}

struct flow_statistics flow_statistics(const struct flow *flow)
{
	return (struct flow_statistics){ .contexts = flow->walk.live_count,
					 .visits = flow->visits.count,
					 .steps = flow->walk.steps,
					 .merged_functions = flow->walk.merged_functions,
					 .bound_functions = flow->threads.bound_functions };
}
