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
	const struct flow_root *row = &flow->roots[root];
	if (row->kind == FLOW_TEAM)
		return "a team of threads";
	if (row->kind == FLOW_EXPORTED)
		return "any code may call it";
	if (row->kind == FLOW_HANDLER)
		return "any thread may get the signal";
	if (row->kind == FLOW_FOREIGN)
		return "their number is unknown";
	if (row->calls > 1)
		return "created in several places";
	const struct whole_instruction *call = &flow->whole->instruction[row->call];
	uint32_t block = call->block - flow->whole->function[call->function].first_block;
	if (flow->bodies[call->function].is_in_cycle[block])
		return "created in a loop";
	if (flow->is_recursive[flow->component[call->function]])
		return "created by a recursive function";
	for (uint32_t r = 0; r < flow->root_count; r++)
		if (r != root && flow_bit_has(flow_row(flow, flow->started, r), root) &&
		    flow_bit_has(flow_row(flow, flow->concurrent_roots, r), r))
			return "created by several threads";
	return "created more than once";
}

int flow_solve(const struct whole *whole, const struct points *points, const struct flow_options *options,
	       struct flow **result, struct err *err)
{
	(void)err;
	struct flow *flow = mem_alloc(sizeof *flow);
	flow->whole = whole;
	flow->points = points;
	if (options)
		flow->options = *options;
	flow_program_init(flow);
	flow_controls_find(flow);
	flow_threads_find(flow);
	flow_find_once(flow);
	flow_arguments_find(flow);
	flow_joins_find(flow);
	progress(flow, 100);
	flow_alive_solve(flow);
	for (uint32_t r = 0; r < flow->root_count; r++) {
		flow->roots[r].is_many = flow_bit_has(flow_row(flow, flow->concurrent_roots, r), r);
		flow->roots[r].why_many = flow->roots[r].is_many ? why_many(flow, r) : NULL;
	}
	progress(flow, 200);
	flow_paths_init(flow);
	flow_locks_init(flow);
	flow_crowds_find(flow);
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
	flow_walk_release(flow);
	flow_crowds_release(flow);
	flow_locks_release(flow);
	flow_paths_release(flow);
	flow_alive_release(flow);
	flow_joins_release(flow);
	flow_arguments_release(flow);
	flow_threads_release(flow);
	flow_controls_release(flow);
	flow_program_release(flow);
	free(flow);
}

uint32_t flow_root_count(const struct flow *flow)
{
	return flow->root_count;
}

const struct flow_root *flow_root(const struct flow *flow, uint32_t root)
{
	return &flow->roots[root];
}

uint32_t flow_visit_count(const struct flow *flow, uint32_t access)
{
	return flow->visit_first[access + 1] - flow->visit_first[access];
}

const struct flow_visit *flow_visits(const struct flow *flow, uint32_t access)
{
	return flow->visits + flow->visit_first[access];
}

struct flow_locks flow_locks(const struct flow *flow, uint32_t set)
{
	return (struct flow_locks){ flow->set_rows + flow->set_first[set],
				    flow->set_first[set + 1] - flow->set_first[set] };
}

bool flow_is_together(const struct flow *flow, uint32_t set, uint32_t root)
{
	return flow_interned_row(&flow->root_sets, set, NULL)[root / 32] >> (root % 32) & 1;
}

bool flow_may_overlap(const struct flow *flow, const struct flow_visit *a, const struct flow_visit *b)
{
	if (a->root == b->root && !flow->roots[a->root].is_many)
		return false;
	return flow_is_together(flow, a->together, b->root) && flow_is_together(flow, b->together, a->root);
}

bool flow_is_fresh(const struct flow *flow, uint32_t access)
{
	return flow->is_fresh[access];
}

bool flow_is_asking(const struct flow *flow, uint32_t access)
{
	const struct whole_instruction *at = &flow->whole->instruction[flow->whole->access[access].instruction];
	return flow->bodies[at->function].is_asking[at->block - flow->whole->function[at->function].first_block];
}

uint32_t flow_order_count(const struct flow *flow)
{
	return flow->order_count;
}

const struct flow_order *flow_orders(const struct flow *flow)
{
	return flow->orders;
}

uint32_t flow_free_count(const struct flow *flow)
{
	return flow->free_keys.count;
}

const struct flow_free *flow_frees(const struct flow *flow)
{
	return flow->frees;
}

struct flow_statistics flow_statistics(const struct flow *flow)
{
	return flow->statistics;
}
