/*
 * flow.c: the phases one after the other, each with its input; and what others see of the results (flow.h). flow_priv.h says which
 * file does what.
 */
#include "analysis/flow/flow.h"

#include <stdlib.h>

#include "analysis/flow/flow_priv.h"
#include "base/mem.h"

static void progress(const struct flow_options *options, unsigned permille)
{
	if (options->progress)
		options->progress(options->progress_context, permille);
}

/* Why there may be several threads of a root, in words. */
static const char *why_many(const struct flow_program *program, const struct flow_threads *threads,
			    const struct flow_alive *alive, uint32_t root)
{
	const struct flow_root *row = &threads->roots[root];
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
	if (flow_is_in_cycle(program, row->call))
		return "created in a loop";
	if (program->is_recursive[program->component[program->whole->instruction[row->call].function]])
		return "created by a recursive function";
	for (uint32_t r = 0; r < threads->root_count; r++)
		if (r != root && flow_bit_has(flow_row(threads, threads->started, r), root) &&
		    flow_bit_has(flow_row(threads, alive->concurrent_roots, r), r))
			return "created by several threads";
	return "created more than once";
}

/* The roots as others see them. */
static struct flow_root *describe_roots(const struct flow_program *program, const struct flow_threads *threads,
					const struct flow_alive *alive)
{
	struct flow_root *roots = mem_alloc(threads->root_count * sizeof *roots);
	for (uint32_t r = 0; r < threads->root_count; r++) {
		roots[r] = threads->roots[r];
		roots[r].is_many = flow_bit_has(flow_row(threads, alive->concurrent_roots, r), r);
		roots[r].why_many = roots[r].is_many ? why_many(program, threads, alive, r) : NULL;
	}
	return roots;
}

/* Threads: which exist, and which may be alive concurrently. */
static void solve_threads(const struct whole *whole, const struct points *points, struct flow *flow)
{
	flow_program_init(whole, points, &flow->program);
	flow_controls_find(&flow->program, &flow->controls);
	flow_threads_find(&flow->program, &flow->threads);
	flow_single_find(&flow->program, &flow->threads, &flow->single);
	flow_arguments_find(&flow->program, &flow->threads, &flow->arguments);
	flow_joins_find(&flow->program, &flow->threads, &flow->single, &flow->joins);
	progress(&flow->options, 100);
	const struct flow_alive_input in = { .program = &flow->program,
					     .threads = &flow->threads,
					     .arguments = &flow->arguments,
					     .joins = &flow->joins };
	flow_alive_solve(&in, &flow->alive);
	flow->roots = describe_roots(&flow->program, &flow->threads, &flow->alive);
	progress(&flow->options, 200);
}

/* Locks: how they are named, what functions do to them, and which are held in each context. */
static void solve_locks(struct flow *flow)
{
	const struct flow_paths_input for_paths = { .program = &flow->program,
						    .single = &flow->single,
						    .alive = &flow->alive };
	flow_paths_init(&for_paths, &flow->paths);
	const struct flow_lock_sets_input for_locks = { .program = &flow->program,
							.controls = &flow->controls,
							.paths = &flow->paths };
	flow_locks_init(&for_locks, &flow->lock_sets);
	flow_releases_find(&flow->program, &flow->lock_sets, &flow->releases);
	const struct flow_crowds_input for_crowds = { .program = &flow->program,
						      .threads = &flow->threads,
						      .arguments = &flow->arguments,
						      .alive = &flow->alive,
						      .releases = &flow->releases };
	flow_crowds_find(&for_crowds, &flow->crowds);
	const struct flow_walk_input for_walk = { .program = &flow->program,
						  .threads = &flow->threads,
						  .arguments = &flow->arguments,
						  .alive = &flow->alive,
						  .releases = &flow->releases,
						  .crowds = &flow->crowds,
						  .lock_sets = &flow->lock_sets,
						  .max_contexts = flow->options.max_contexts };
	flow_walk(&for_walk, &flow->walk);
	progress(&flow->options, 700);
}

int flow_solve(const struct whole *whole, const struct points *points, const struct flow_options *options,
	       struct flow **result, struct err *err)
{
	(void)err;
	struct flow *flow = mem_alloc(sizeof *flow);
	if (options)
		flow->options = *options;
	solve_threads(whole, points, flow);
	solve_locks(flow);
	flow_fresh_find(&flow->program, &flow->threads, &flow->fresh);
	const struct flow_visits_input in = { .program = &flow->program,
					      .threads = &flow->threads,
					      .alive = &flow->alive,
					      .lock_sets = &flow->lock_sets,
					      .walk = &flow->walk };
	flow_visits_make(&in, &flow->visits);
	progress(&flow->options, 1000);
	*result = flow;
	return 0;
}

void flow_free(struct flow *flow)
{
	if (!flow)
		return;
	flow_visits_release(&flow->visits);
	flow_fresh_release(&flow->fresh);
	flow_walk_release(&flow->walk);
	flow_crowds_release(&flow->crowds);
	flow_releases_release(&flow->program, &flow->releases);
	flow_locks_release(&flow->lock_sets);
	flow_paths_release(&flow->paths);
	flow_alive_release(&flow->alive);
	flow_joins_release(&flow->program, &flow->joins);
	flow_arguments_release(&flow->arguments);
	flow_single_release(&flow->single);
	flow_threads_release(&flow->threads);
	flow_controls_release(&flow->controls);
	flow_program_release(&flow->program);
	free(flow->roots);
	free(flow);
}

const struct flow_program *flow_program(const struct flow *flow)
{
	return &flow->program;
}

const struct flow_single *flow_single(const struct flow *flow)
{
	return &flow->single;
}

const struct flow_arguments *flow_arguments(const struct flow *flow)
{
	return &flow->arguments;
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

bool flow_is_polling(const struct flow *flow, uint32_t access)
{
	const struct whole_instruction *at =
		&flow->program.whole->instruction[flow->program.whole->access[access].instruction];
	return flow->program.bodies[at->function]
		.is_polling[at->block - flow->program.whole->function[at->function].first_block];
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
